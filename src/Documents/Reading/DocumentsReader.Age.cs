namespace Jackdaw.Documents.Reading;

/// <summary>When a reader has lasted long enough.</summary>
public sealed partial class DocumentsReader
{
    /// <summary>Rows between two looks at the clock: few, because each may have to be read from a slow disk.</summary>
    private const int RowsBetweenLooks = 16;

    private int _rowsToLook = RowsBetweenLooks;
    private bool _isDue;

    /// <summary>
    /// The reader has lasted for <see cref="Limits.ReaderRenewalAge"/>, or for <see cref="Limits.ReaderRenewalAgeBesideWrites"/> while
    /// others write: its owner ends it and goes on from its last key in a new one. Asked before each row that is looked at, also by scans
    /// that find nothing; it looks at the clock once in <see cref="RowsBetweenLooks"/> times, so a new reader serves some rows whatever
    /// the clock says.
    /// </summary>
    public bool IsDue
    {
        get
        {
            if (_isDue || --_rowsToLook > 0)
                return _isDue;
            return IsDueNow;
        }
    }

    /// <summary>As <see cref="IsDue"/>, and it looks at the clock each time: where the work on one row may take long.</summary>
    public bool IsDueNow
    {
        get
        {
            _rowsToLook = RowsBetweenLooks;
            return _isDue = _isDue || _ages?.IsDue(_began) == true;
        }
    }
}

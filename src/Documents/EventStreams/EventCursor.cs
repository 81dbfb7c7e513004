namespace Jackdaw.Documents.EventStreams;

/// <summary>Goes over events, a row at a time. Ends with its reader, or sooner when it is disposed of.</summary>
public abstract class EventCursor : IDisposable
{
    private readonly EventStreamsReader _reader;

    private protected EventCursor(EventStreamsReader reader) => _reader = reader;

    /// <summary>The event that it stands on is deleted: pass over it. A call of its own, so that the caller can look at
    /// <see cref="Reading.DocumentsReader.IsDue"/> between any two rows.</summary>
    public bool IsDeleted
    {
        get
        {
            var row = new EventRow(Row);
            return row.Number <= _reader.DeletedUpTo(row.StreamNumber);
        }
    }

    /// <summary>The position of the event that it stands on.</summary>
    public abstract long Position { get; }

    /// <summary>The event that it stands on.</summary>
    public StoredEvent Current => new(Position, new EventRow(Row), _reader);

    private protected abstract ReadOnlySpan<byte> Row { get; }

    /// <summary>Moves on; false at the end.</summary>
    public abstract bool MoveNext();

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Gives its cursors back.</summary>
    protected abstract void Dispose(bool disposing);
}

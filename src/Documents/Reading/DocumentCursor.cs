using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.Reading;

/// <summary>Documents, one after another. Belongs to its <see cref="DocumentsReader"/> and must not outlive it.</summary>
public sealed class DocumentCursor : IChangeSource
{
    private readonly RowCursor? _rows;
    private readonly IPresentedCursor? _presented;

    /// <param name="rows">Null: there is nothing.</param>
    internal DocumentCursor(RowCursor? rows) => _rows = rows;

    internal DocumentCursor(IPresentedCursor? presented) => _presented = presented;

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => _presented is not null ? _presented.MoveNext() : _rows is not null && _rows.MoveNext();

    /// <summary>
    /// The one moved to is a deleted event that is still on disk, or a place without one: pass over it. Only where events were named. A
    /// move of its own, so that the caller can look at <see cref="DocumentsReader.IsDue"/> between any two of them.
    /// </summary>
    public bool IsHidden => _presented is { IsHidden: true };

    /// <summary>The etag of the one moved to.</summary>
    public long Etag => _presented is not null ? _presented.Etag : _rows!.Etag;

    /// <summary>The one moved to; valid until the next move.</summary>
    public Document Current => _presented is not null ? _presented.Current : new DocumentRow(_rows!.Row).ToDocument(_rows.Etag);

    ChangeKinds IChangeSource.Kind => ChangeKinds.Documents;

    long IChangeSource.CurrentEtag => Etag;

    DocumentChange IChangeSource.CurrentChange => new() { Document = Current };
}

using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.Reading;

/// <summary>Tombstones, one after another. Belongs to its <see cref="DocumentsReader"/> and must not outlive it.</summary>
public sealed class TombstoneCursor : IChangeSource
{
    private readonly RowCursor? _rows;

    /// <param name="rows">Null: there is nothing.</param>
    internal TombstoneCursor(RowCursor? rows) => _rows = rows;

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => _rows is not null && _rows.MoveNext();

    /// <summary>The one moved to; valid until the next move.</summary>
    public Tombstone Current => new TombstoneRow(_rows!.Row).ToTombstone(_rows.Etag);

    ChangeKinds IChangeSource.Kind => ChangeKinds.Deletions;

    long IChangeSource.CurrentEtag => _rows!.Etag;

    DocumentChange IChangeSource.CurrentChange => new() { IsTombstone = true, Tombstone = Current };
}

using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.Reading;

/// <summary>Documents, one after another. Belongs to its <see cref="DocumentsReader"/> and must not outlive it.</summary>
public sealed class DocumentCursor : IChangeSource
{
    private readonly RowCursor? _rows;

    /// <param name="rows">Null: there is nothing.</param>
    internal DocumentCursor(RowCursor? rows) => _rows = rows;

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => _rows is not null && _rows.MoveNext();

    /// <summary>The one moved to; valid until the next move.</summary>
    public Document Current => new DocumentRow(_rows!.Row).ToDocument(_rows.Etag);

    ChangeKinds IChangeSource.Kind => ChangeKinds.Documents;

    long IChangeSource.CurrentEtag => _rows!.Etag;

    DocumentChange IChangeSource.CurrentChange => new() { Document = Current };
}

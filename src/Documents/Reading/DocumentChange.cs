namespace Jackdaw.Documents.Reading;

/// <summary>One item of a forward read over documents and tombstones in etag order.</summary>
public readonly ref struct DocumentChange
{
    /// <summary>True when <see cref="Tombstone"/> holds the change, false when <see cref="Document"/> does.</summary>
    public bool IsTombstone { get; internal init; }

    /// <summary>The writing of a document, for whoever has the document itself.</summary>
    public static DocumentChange Of(Document document) => new() { Document = document };

    /// <summary>The etag of the change.</summary>
    public long Etag => IsTombstone ? Tombstone.Etag : Document.Etag;

    /// <summary>Set when <see cref="IsTombstone"/> is false.</summary>
    public Document Document { get; internal init; }

    /// <summary>Set when <see cref="IsTombstone"/> is true.</summary>
    public Tombstone Tombstone { get; internal init; }
}

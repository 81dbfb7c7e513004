namespace Jackdaw.Documents.Reading;

/// <summary>One item of a forward read over documents and tombstones in etag order.</summary>
public readonly ref struct DocumentChange
{
    public bool IsTombstone { get; internal init; }

    public long Etag => IsTombstone ? Tombstone.Etag : Document.Etag;

    /// <summary>Set when <see cref="IsTombstone"/> is false.</summary>
    public Document Document { get; internal init; }

    /// <summary>Set when <see cref="IsTombstone"/> is true.</summary>
    public Tombstone Tombstone { get; internal init; }
}

namespace Jackdaw.Documents.Reading;

/// <summary>
/// One read transaction: the database as of the last durable transaction when it was opened. Not thread-safe. End it soon
/// (<see cref="Dispose"/>): it holds up flushing, and must not span a network write or an idle wait; reopen by etag or id instead.
/// Ids are UTF-8, of any casing, and need not be valid (an impossible id is simply not found).
/// </summary>
public sealed class DocumentsReader : IDisposable
{
    internal DocumentsReader() { }

    public bool TryGet(ReadOnlySpan<byte> id, out Document document) => throw new NotSupportedException();

    public bool TryGet(string id, out Document document) => throw new NotSupportedException();

    /// <summary>All documents with an etag above <paramref name="afterEtag"/>, in etag order.</summary>
    public DocumentCursor ByEtag(long afterEtag) => throw new NotSupportedException();

    /// <summary>A collection's documents with an etag above <paramref name="afterEtag"/>, in etag order; empty for an unknown collection. <c>@empty</c> is a collection here.</summary>
    public DocumentCursor ByEtag(string collection, long afterEtag) => throw new NotSupportedException();

    /// <summary>All documents, newest (highest etag) first.</summary>
    public DocumentCursor NewestFirst() => throw new NotSupportedException();

    /// <summary>A collection's documents, newest first.</summary>
    public DocumentCursor NewestFirst(string collection) => throw new NotSupportedException();

    /// <summary>
    /// Documents whose id begins with <paramref name="prefix"/> (empty: all), in id order, beginning after <paramref name="startAfter"/> (empty: at the first).
    /// </summary>
    public DocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter) => throw new NotSupportedException();

    /// <summary>As <see cref="ByIdPrefix(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>, but in descending id order, beginning before <paramref name="startBefore"/> (empty: at the last).</summary>
    public DocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore) => throw new NotSupportedException();

    public TombstoneCursor Tombstones(long afterEtag) => throw new NotSupportedException();

    public TombstoneCursor Tombstones(string collection, long afterEtag) => throw new NotSupportedException();

    /// <summary>Documents and tombstones above <paramref name="afterEtag"/>, merged in etag order: what every consumer reads.</summary>
    public ChangeCursor Changes(long afterEtag) => throw new NotSupportedException();

    public ChangeCursor Changes(string collection, long afterEtag) => throw new NotSupportedException();

    public long DocumentCount => throw new NotSupportedException();

    public long TombstoneCount => throw new NotSupportedException();

    /// <summary>The highest etag handed out, whatever for; 0 in a new database.</summary>
    public long LastEtag => throw new NotSupportedException();

    /// <summary>The highest etag of a document; 0 when there is none.</summary>
    public long LastDocumentEtag => throw new NotSupportedException();

    /// <summary>Every collection that holds documents or tombstones, by name.</summary>
    public IReadOnlyList<CollectionStatistics> Collections() => throw new NotSupportedException();

    /// <summary>Null for an unknown collection; the name in any casing.</summary>
    public CollectionStatistics? Collection(string name) => throw new NotSupportedException();

    /// <summary>Identities: key in lower case ending in <c>|</c>, and the last value handed out.</summary>
    public IReadOnlyList<KeyValuePair<string, long>> Identities() => throw new NotSupportedException();

    public void Dispose() => throw new NotSupportedException();
}

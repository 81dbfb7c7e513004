using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Queries;

/// <summary>The documents of one read transaction, as far as queries without an index need them.</summary>
internal interface ICollectionSource
{
    long DocumentCount { get; }

    /// <summary>The highest etag handed out.</summary>
    long LastEtag { get; }

    /// <summary>The transaction has lasted long enough: what is left goes on in another one. Asked before each row.</summary>
    bool IsDue { get; }

    /// <summary>Null for an unknown collection; <paramref name="name"/> in any casing.</summary>
    CollectionStatistics? Collection(string name);

    /// <summary>Documents of a collection; null when telling it takes a scan.</summary>
    long? CountOf(string name) => Collection(name)?.DocumentCount ?? 0;

    bool TryGet(ReadOnlySpan<byte> id, out Document document);

    IDocumentCursor ByEtag(long afterEtag);

    IDocumentCursor ByEtag(string collection, long afterEtag);

    IDocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter);

    IDocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore);
}

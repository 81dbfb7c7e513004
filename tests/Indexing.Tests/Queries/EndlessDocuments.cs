using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Many documents, none of which takes memory.</summary>
internal sealed class EndlessDocuments(long count) : ICollectionSource
{
    public long DocumentCount => count;

    public long LastEtag => count;

    public bool IsDue => false;

    public CollectionStatistics? Collection(string name) => null;

    public bool TryGet(ReadOnlySpan<byte> id, out Document document) => throw new NotSupportedException();

    public IDocumentCursor ByEtag(long afterEtag) => new Cursor(count);

    public IDocumentCursor ByEtag(string collection, long afterEtag) => throw new NotSupportedException();

    public IDocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter) => new Cursor(count);

    public IDocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore) =>
        throw new NotSupportedException();

    private sealed class Cursor(long left) : IDocumentCursor
    {
        private long _left = left;

        public Document Current =>
            new()
            {
                Id = "users/1"u8,
                LowerId = "users/1"u8,
                Etag = 1,
                Collection = "Users"u8,
                Body = "{}"u8,
            };

        public bool MoveNext() => _left-- > 0;
    }
}

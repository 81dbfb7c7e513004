using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Queries;

/// <summary>The documents of a database, through its reader.</summary>
internal sealed class ReaderSource(DocumentsReader reader) : ICollectionSource
{
    public long DocumentCount => reader.DocumentCount;

    public long LastEtag => reader.LastEtag;

    public bool IsDue => reader.IsDue;

    public CollectionStatistics? Collection(string name) => reader.Collection(name);

    public long? CountOf(string name) => reader.CountOf(name);

    public bool TryGet(ReadOnlySpan<byte> id, out Document document) => reader.TryGet(id, out document);

    public IDocumentCursor ByEtag(long afterEtag) => new Cursor(reader.ByEtag(afterEtag));

    public IDocumentCursor ByEtag(string collection, long afterEtag) => new Cursor(reader.ByEtag(collection, afterEtag));

    public IDocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter) =>
        new Cursor(reader.ByIdPrefix(prefix, startAfter));

    public IDocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore) =>
        new Cursor(reader.ByIdPrefixDescending(prefix, startBefore));

    private sealed class Cursor(DocumentCursor documents) : IDocumentCursor
    {
        public Document Current => documents.Current;

        public long CurrentEtag => documents.Etag;

        public bool IsHidden => documents.IsHidden;

        public bool MoveNext() => documents.MoveNext();
    }
}

using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Documents in lists, put in order by means other than the code under test; counts what is read of it.</summary>
internal sealed class StoredDocuments : ICollectionSource
{
    private readonly List<Stored> _documents = [];

    private long _lastEtag;

    /// <summary>Documents that cursors have moved to.</summary>
    public long DocumentsRead { get; private set; }

    public long DocumentCount => _documents.Count;

    public long LastEtag => _lastEtag;

    /// <summary>How often a reader may be asked before it is due; null: it never is.</summary>
    public int? AsksUntilDue { get; set; }

    public bool IsDue => AsksUntilDue is not null && AsksUntilDue-- <= 0;

    /// <summary>Stores a document under the next etag; an id stored before moves to it.</summary>
    public StoredDocuments Put(string id, string collection, string body = "{}", string metadata = "")
    {
        var etag = ++_lastEtag;
        _documents.RemoveAll(d => string.Equals(d.Id, id, StringComparison.OrdinalIgnoreCase));
        _documents.Add(new Stored(id, collection, etag, body, metadata));
        return this;
    }

    public CollectionStatistics? Collection(string name)
    {
        var members = _documents.Where(d => string.Equals(d.Collection, name, StringComparison.OrdinalIgnoreCase)).ToList();
        return members.Count == 0
            ? null
            : new CollectionStatistics(members[0].Collection, members.Count, 0, 0, members.Max(d => d.Etag), 0);
    }

    public bool TryGet(ReadOnlySpan<byte> id, out Document document)
    {
        var wanted = Encoding.UTF8.GetString(id);
        var stored = _documents.Find(d => string.Equals(d.Id, wanted, StringComparison.OrdinalIgnoreCase));
        document = stored is null ? default : stored.View();
        return stored is not null;
    }

    public IDocumentCursor ByEtag(long afterEtag) => Over(_documents.Where(d => d.Etag > afterEtag).OrderBy(d => d.Etag));

    public IDocumentCursor ByEtag(string collection, long afterEtag) =>
        Over(
            _documents
                .Where(d => d.Etag > afterEtag && string.Equals(d.Collection, collection, StringComparison.OrdinalIgnoreCase))
                .OrderBy(d => d.Etag)
        );

    public IDocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter)
    {
        var after = Encoding.UTF8.GetString(startAfter);
        return Over(
            WithPrefix(prefix)
                .Where(d => after.Length == 0 || string.CompareOrdinal(d.LowerId, after) > 0)
                .OrderBy(d => d.LowerId, StringComparer.Ordinal)
        );
    }

    public IDocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore)
    {
        var before = Encoding.UTF8.GetString(startBefore);
        return Over(
            WithPrefix(prefix)
                .Where(d => before.Length == 0 || string.CompareOrdinal(d.LowerId, before) < 0)
                .OrderByDescending(d => d.LowerId, StringComparer.Ordinal)
        );
    }

    private IEnumerable<Stored> WithPrefix(ReadOnlySpan<byte> prefix)
    {
        var beginning = Encoding.UTF8.GetString(prefix).ToLowerInvariant();
        return _documents.Where(d => d.LowerId.StartsWith(beginning, StringComparison.Ordinal));
    }

    private Cursor Over(IEnumerable<Stored> documents) => new(this, [.. documents]);

    private sealed record Stored(string Id, string Collection, long Etag, string Body, string Metadata)
    {
        public string LowerId { get; } = Id.ToLowerInvariant();

        public Document View() =>
            new()
            {
                Id = Encoding.UTF8.GetBytes(Id),
                LowerId = Encoding.UTF8.GetBytes(LowerId),
                Etag = Etag,
                ChangeVector = Encoding.UTF8.GetBytes($"A:{Etag}-db"),
                LastModifiedTicks = new DateTime(2030, 1, 2, 3, 4, 5, DateTimeKind.Utc).Ticks,
                Collection = Encoding.UTF8.GetBytes(Collection),
                HasCollection = Collection != "@empty",
                Body = Encoding.UTF8.GetBytes(Body),
                Metadata = Encoding.UTF8.GetBytes(Metadata),
            };
    }

    private sealed class Cursor(StoredDocuments owner, Stored[] documents) : IDocumentCursor
    {
        private int _at = -1;

        public Document Current => documents[_at].View();

        public bool MoveNext()
        {
            if (++_at >= documents.Length)
                return false;
            owner.DocumentsRead++;
            return true;
        }
    }
}

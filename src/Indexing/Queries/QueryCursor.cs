using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Runs a plan: its results one after another, read as they are asked for. It belongs to the reader it was opened on and must not
/// outlive it. Memory does not grow with the results, but for the handles of documents asked for by id, and of a small collection
/// put in id order.
/// </summary>
public sealed class QueryCursor
{
    /// <summary>
    /// Up to this many documents a collection is put in id order by sorting handles (at most about half a kilobyte each); a larger
    /// one is read out of the id order of all documents. Either way memory stays small and a small collection costs no scan of a
    /// large database.
    /// </summary>
    internal const int SortCollectionsUpTo = 4096;

    private readonly QueryPlan _plan;

    private readonly ICollectionSource _source;

    /// <summary>The collection's kept name in UTF-8; empty where results need not be checked for their collection.</summary>
    private readonly byte[] _collection = [];

    private readonly long _firstMatch;

    private readonly IDocumentCursor _documents;

    private long _matches;

    private bool _exhausted;

    private bool _onResult;

    private QueryCursor(QueryPlan plan, ICollectionSource source, QueryPosition? after)
    {
        _plan = plan;
        _source = source;
        _firstMatch = after?.Matches ?? 0;
        _matches = _firstMatch;
        var collection = plan.Collection is { } name ? source.Collection(name) : null;
        if (plan.Collection is not null && collection is null)
        {
            _documents = new LocatedDocuments(source, []);
            return;
        }

        var isChecked = collection is not null && (plan.Source != QuerySourceKind.Everything || plan.Order != QueryOrder.EtagAscending);
        if (isChecked)
            _collection = Encoding.UTF8.GetBytes(collection!.Name);
        _documents = Open(collection, after);
    }

    /// <summary>The result moved to, valid until the next move; what is to be sent of it says <see cref="QueryPlan.Projection"/>.</summary>
    public Document Current
    {
        get
        {
            Invariant.Require(_onResult);
            return _documents.Current;
        }
    }

    /// <summary>After a result: from where another cursor, on another reader, goes on.</summary>
    public QueryPosition Position
    {
        get
        {
            var current = Current;
            return new QueryPosition(current.Etag, current.LowerId.ToArray(), _matches);
        }
    }

    /// <summary>Opens a cursor before the first result, or just after <paramref name="after"/>, the position of an earlier cursor
    /// of the same plan.</summary>
    public static QueryCursor Open(QueryPlan plan, DocumentsReader reader, QueryPosition? after = null)
    {
        ArgumentNullException.ThrowIfNull(reader);
        return Open(plan, new ReaderSource(reader), after);
    }

    internal static QueryCursor Open(QueryPlan plan, ICollectionSource source, QueryPosition? after = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        return new QueryCursor(plan, source, after);
    }

    /// <summary>Moves to the next result; false at the end.</summary>
    public bool MoveNext()
    {
        _onResult = false;
        while (!_exhausted && !PageIsFull)
        {
            if (!NextMatch())
            {
                _exhausted = true;
                return false;
            }

            _matches++;
            if (_matches > _plan.Skip)
            {
                _onResult = true;
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Counts all matches, whatever is passed over or left out. Costs nothing for a whole collection, for ids, or after a page that
    /// reached the end; else a scan of the ids that begin with the prefix.
    /// </summary>
    public long CountTotal()
    {
        if (_exhausted)
            return _matches;
        if (_plan.Collection is { } name)
        {
            if (_source.Collection(name) is not { } collection)
                return 0;
            if (_plan.Source == QuerySourceKind.Everything)
                return collection.DocumentCount;
        }
        else if (_plan.Source == QuerySourceKind.Everything)
            return _source.DocumentCount;

        if (_documents is LocatedDocuments located && _firstMatch == 0)
            return located.Count;

        var all = Open(_plan with { Skip = 0, Take = null, Order = CheapestOrder }, _source);
        while (all.MoveNext()) { }

        return all._matches;
    }

    private QueryOrder CheapestOrder => _plan.Source == QuerySourceKind.IdPrefix ? QueryOrder.IdAscending : _plan.Order;

    private bool PageIsFull => _plan.Take is { } take && Math.Max(0, _matches - _plan.Skip) >= take;

    private bool NextMatch()
    {
        while (_documents.MoveNext())
        {
            if (_collection.Length == 0 || _documents is LocatedDocuments || _documents.Current.Collection.SequenceEqual(_collection))
                return true;
        }

        return false;
    }

    private IDocumentCursor Open(CollectionStatistics? collection, QueryPosition? after)
    {
        if (_plan.Source == QuerySourceKind.Ids)
            return Locate(after);

        if (_plan.Source == QuerySourceKind.Everything)
        {
            if (_plan.Order == QueryOrder.EtagAscending)
                return collection is null ? _source.ByEtag(after?.Etag ?? 0) : _source.ByEtag(collection.Name, after?.Etag ?? 0);
            if (collection?.DocumentCount <= SortCollectionsUpTo)
                return Sort(_source.ByEtag(collection.Name, 0), after);
        }

        var prefix = _plan.Source == QuerySourceKind.IdPrefix ? Encoding.UTF8.GetBytes(_plan.IdPrefix) : [];
        return _plan.Order == QueryOrder.IdDescending
            ? _source.ByIdPrefixDescending(prefix, after?.LowerId)
            : _source.ByIdPrefix(prefix, after?.LowerId);
    }

    private LocatedDocuments Locate(QueryPosition? after)
    {
        var located = new List<LocatedDocument>();
        foreach (var id in _plan.Ids)
        {
            if (
                _source.TryGet(Encoding.UTF8.GetBytes(id), out var document)
                && (_collection.Length == 0 || document.Collection.SequenceEqual(_collection))
            )
                located.Add(new LocatedDocument(document.Etag, document.LowerId.ToArray()));
        }

        return new LocatedDocuments(_source, InOrder(located, after));
    }

    private LocatedDocuments Sort(IDocumentCursor documents, QueryPosition? after)
    {
        var located = new List<LocatedDocument>();
        while (documents.MoveNext())
            located.Add(new LocatedDocument(documents.Current.Etag, documents.Current.LowerId.ToArray()));
        return new LocatedDocuments(_source, InOrder(located, after));
    }

    private LocatedDocument[] InOrder(List<LocatedDocument> located, QueryPosition? after)
    {
        IComparer<LocatedDocument> comparer = _plan.Order == QueryOrder.EtagAscending ? LocatedDocument.ByEtag : LocatedDocument.ById;
        if (_plan.Order == QueryOrder.IdDescending)
            comparer = Comparer<LocatedDocument>.Create((x, y) => LocatedDocument.ById.Compare(y, x));

        IEnumerable<LocatedDocument> ordered = located.Order(comparer);
        if (after is not null)
        {
            var last = new LocatedDocument(after.Etag, after.LowerId);
            ordered = ordered.Where(document => comparer.Compare(document, last) > 0);
        }

        // One document under two spellings of its id stands twice side by side: etags and lower-cased ids are unique.
        var distinct = new List<LocatedDocument>(located.Count);
        foreach (var document in ordered)
        {
            if (distinct.Count == 0 || distinct[^1].Etag != document.Etag)
                distinct.Add(document);
        }

        return [.. distinct];
    }
}

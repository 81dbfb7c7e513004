using System.Text;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// The documents of a query that puts them in order by itself: those of a list of ids, or of a small collection. They are gathered over as
/// many readers as it takes, and then put in order once.
/// </summary>
internal sealed class DocumentHandles(QueryPlan plan)
{
    private readonly List<LocatedDocument> _found = [];
    private int _nextId;
    private long _afterEtag;

    /// <summary>In the plan's order; null until all are gathered.</summary>
    public LocatedDocument[]? Ordered { get; private set; }

    /// <summary>The collection has grown too large meanwhile to be put in order in memory.</summary>
    public bool IsTooLarge { get; private set; }

    /// <summary>Goes on until all are gathered or <paramref name="source"/> is due.</summary>
    /// <param name="source">The reader of now.</param>
    /// <param name="collection">The name as it is kept; null for all documents.</param>
    public void Gather(ICollectionSource source, string? collection)
    {
        if (Ordered is not null)
            return;
        var isWhole = plan.Source == QuerySourceKind.Ids ? Locate(source, collection) : Read(source, collection!);
        if (isWhole)
            Ordered = InOrder();
    }

    private bool Locate(ICollectionSource source, string? collection)
    {
        var name = collection is null ? [] : Encoding.UTF8.GetBytes(collection);
        for (; _nextId < plan.Ids.Count; _nextId++)
        {
            if (source.IsDue)
                return false;
            if (
                source.TryGet(Encoding.UTF8.GetBytes(plan.Ids[_nextId]), out var document)
                && (collection is null ? document.StreamId.IsEmpty : document.Collection.SequenceEqual(name))
            )
                _found.Add(new LocatedDocument(document.Etag, document.LowerId.ToArray()));
        }
        return true;
    }

    private bool Read(ICollectionSource source, string collection)
    {
        var documents = source.ByEtag(collection, _afterEtag);
        while (!source.IsDue)
        {
            if (!documents.MoveNext())
                return true;
            _afterEtag = documents.CurrentEtag;
            if (documents.IsHidden)
                continue;
            _found.Add(new LocatedDocument(_afterEtag, documents.Current.LowerId.ToArray()));
            IsTooLarge = _found.Count > 2 * QueryCursor.SortCollectionsUpTo;
            if (IsTooLarge)
                return false;
        }
        return false;
    }

    /// <summary>Each document once: one may stand in the list under two spellings, or have come again because it was changed between two
    /// readers.</summary>
    private LocatedDocument[] InOrder()
    {
        _found.Sort(LocatedDocument.ById);
        var distinct = new List<LocatedDocument>(_found.Count);
        foreach (var document in _found)
        {
            if (distinct.Count == 0 || LocatedDocument.ById.Compare(distinct[^1], document) != 0)
                distinct.Add(document);
        }

        if (plan.Order == QueryOrder.EtagAscending)
            distinct.Sort(LocatedDocument.ByEtag);
        else if (plan.Order == QueryOrder.IdDescending)
            distinct.Reverse();
        _found.Clear();
        return [.. distinct];
    }
}

using System.Text;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Runs a plan: its results one after another, read as they are asked for. It belongs to the reader it was opened on and must not outlive
/// it; when that one is due to end, whatever was found so far, the cursor stops, and another one goes on from its
/// <see cref="Position"/>. Memory does not grow with the results, but for the handles of documents asked for by id, and of a small
/// collection put in id order.
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

    private readonly QueryPosition _start;

    /// <summary>The collection's kept name in UTF-8; empty where results need not be checked for their collection.</summary>
    private readonly byte[] _collection = [];

    /// <summary>Whatever the cursor shows is of the collection.</summary>
    private readonly bool _isOfCollection;

    private readonly DocumentHandles? _handles;

    /// <summary>Null until the handles are gathered.</summary>
    private readonly IDocumentCursor? _documents;

    /// <summary>The highest of the source.</summary>
    private readonly long _lastEtag;

    private EtagBound _bound;

    private long _matches;

    private bool _exhausted;

    private bool _hasMoved;

    private bool _onResult;

    private QueryCursor(QueryPlan plan, ICollectionSource source, QueryPosition? after)
    {
        _plan = plan;
        _source = source;
        var collection = plan.Collection is { } name ? source.Collection(name) : null;
        _lastEtag = source.LastEtag;
        _start = after ?? new QueryPosition { Bound = new EtagBound(_lastEtag, IsBehindFirst: false, DocumentsOf(collection), Given: 0) };
        _bound = _start.Bound;
        _matches = _start.Matches;
        var isOfEvents = EventsRoom.IsEvents(plan.Collection);
        _isOfCollection = isOfEvents && (plan.Source != QuerySourceKind.IdPrefix || IsOfEvents(plan.IdPrefix));
        // Events are no documents to a query that does not name them.
        if (collection is null ? plan.Collection is not null || IsOfEvents(plan.IdPrefix) : !isOfEvents && IsOfEvents(plan.IdPrefix))
        {
            _exhausted = true;
            return;
        }

        var isChecked = collection is not null && (plan.Source != QuerySourceKind.Everything || plan.Order != QueryOrder.EtagAscending);
        if (isChecked)
            _collection = Encoding.UTF8.GetBytes(collection!.Name);
        _handles = after is null ? NewHandles(collection) : after.Handles;
        _handles?.Gather(source, collection?.Name);
        if (_handles is { IsTooLarge: true })
            _handles = null;
        if (_handles is null)
            _documents = OpenInOrder(collection);
        else if (_handles.Ordered is { } ordered)
            _documents = new LocatedDocuments(source, ordered, _start.NextHandle, _collection);
        else
            IsInterrupted = true;
    }

    /// <summary>The result moved to, valid until the next move; what is to be sent of it says <see cref="QueryPlan.Projection"/>.</summary>
    public Document Current
    {
        get
        {
            Invariant.Require(_onResult);
            return _documents!.Current;
        }
    }

    /// <summary>True when <see cref="MoveNext"/> gave no result because the reader is due to end: there may be more.</summary>
    public bool IsInterrupted { get; private set; }

    /// <summary>Matches so far, those of the cursors before this one and those passed over included.</summary>
    public long Matches => _matches;

    /// <summary>From where another cursor, on another reader, goes on: behind the last document that was looked at. Not for a cursor
    /// that is at the end.</summary>
    public QueryPosition Position
    {
        get
        {
            var position = _start with { Matches = _matches, Bound = _bound, Handles = _handles };
            if (_documents is LocatedDocuments located)
                return position with { NextHandle = located.Next };
            if (!_hasMoved || _exhausted)
                return position;
            var last = _documents!.Current;
            return position with { Etag = last.Etag, LowerId = last.LowerId.ToArray() };
        }
    }

    /// <summary>All matches where that is known without looking at them: of a whole collection, of all documents, of ids.</summary>
    internal long? KnownTotal =>
        _exhausted && _documents is null ? 0
        : _handles is not null && _plan.Source == QuerySourceKind.Ids ? _handles.Ordered?.Length
        : _plan.Source != QuerySourceKind.Everything ? null
        : _plan.Collection is { } name ? _source.CountOf(name)
        : _source.DocumentCount;

    /// <summary>Opens a cursor before the first result, or behind <paramref name="after"/>, the position of an earlier cursor
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

    /// <summary>Moves to the next result; false at the end, and when the reader is due (<see cref="IsInterrupted"/>).</summary>
    public bool MoveNext()
    {
        _onResult = false;
        while (!_exhausted && !IsInterrupted && !PageIsFull)
        {
            if (!NextMatch())
                return false;
            _matches++;
            if (_matches > _plan.Skip)
            {
                _onResult = true;
                return true;
            }
        }

        return false;
    }

    private bool PageIsFull => _plan.Take is { } take && Math.Max(0, _matches - _plan.Skip) >= take;

    private bool NextMatch()
    {
        while (true)
        {
            // Before the move: so that the position is that of the last document looked at.
            IsInterrupted = _source.IsDue;
            if (IsInterrupted)
                return false;
            if (!_documents!.MoveNext())
            {
                IsInterrupted = _documents is LocatedDocuments { IsAtEnd: false };
                _exhausted = !IsInterrupted;
                return false;
            }

            _hasMoved = true;
            if (_documents is LocatedDocuments)
                return true;
            if (_documents.IsHidden)
                continue;
            if (_collection.Length > 0 && !_isOfCollection && !_documents.Current.Collection.SequenceEqual(_collection))
                continue;
            _exhausted = _plan.Order == QueryOrder.EtagAscending && !EtagBound.TryPass(ref _bound, _documents.CurrentEtag, _lastEtag);
            return !_exhausted;
        }
    }

    private static bool IsOfEvents(string idPrefix) => idPrefix.StartsWith(EventsRoom.IdPrefix, StringComparison.OrdinalIgnoreCase);

    private long DocumentsOf(CollectionStatistics? collection) =>
        _plan.Collection is null ? _source.DocumentCount : collection?.DocumentCount ?? 0;

    private DocumentHandles? NewHandles(CollectionStatistics? collection)
    {
        var sorts = _plan.Order != QueryOrder.EtagAscending && collection?.DocumentCount <= SortCollectionsUpTo;
        return _plan.Source == QuerySourceKind.Ids || (_plan.Source == QuerySourceKind.Everything && sorts)
            ? new DocumentHandles(_plan)
            : null;
    }

    private IDocumentCursor OpenInOrder(CollectionStatistics? collection)
    {
        if (_plan.Order == QueryOrder.EtagAscending)
            return collection is null ? _source.ByEtag(_start.Etag) : _source.ByEtag(collection.Name, _start.Etag);
        var prefix =
            _plan.Source == QuerySourceKind.IdPrefix ? Encoding.UTF8.GetBytes(_plan.IdPrefix)
            : _isOfCollection ? Encoding.UTF8.GetBytes(EventsRoom.IdPrefix)
            : [];
        return _plan.Order == QueryOrder.IdDescending
            ? _source.ByIdPrefixDescending(prefix, _start.LowerId)
            : _source.ByIdPrefix(prefix, _start.LowerId);
    }
}

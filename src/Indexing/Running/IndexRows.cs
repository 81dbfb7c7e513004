using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Search.Queries;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// The documents that an index finds, one after another, over as many moments as it takes: a later moment goes on behind the last entry of
/// an earlier one. Entries whose documents are gone, or have gone to another collection, are passed over and counted.
/// </summary>
internal sealed class IndexRows : IQueryRows
{
    private const int BlockEntries = 256;

    private readonly QueryPlan _plan;
    private readonly CancellationToken _cancellation;

    /// <summary>Entries that were read and not looked at yet. They stay from one moment to the next.</summary>
    private long[] _block = [];

    /// <summary>The documents of some entries of the block, in the order of the block; only as long as the moment.</summary>
    private FoundDocument[] _found = [];

    private int _foundFrom;
    private int _foundEnd;
    private int _next;
    private int _count;
    private long _read;
    private SearchPosition? _position;
    private SearchResult? _result;
    private QueryMoment? _moment;

    /// <summary>The name of the index's collection as it is kept; null for all documents.</summary>
    private byte[]? _collection;
    private bool _hasCollection;
    private bool _isExhausted;

    /// <summary>Of the index that the first moment was of: entries of another one have other ids.</summary>
    private Guid? _instance;

    /// <summary>As of the first moment: ids of entries that were taken back since are handed out again.</summary>
    private (IndexTrack Folder, int Generation) _entries;

    public IndexRows(QueryPlan plan, CancellationToken cancellation)
    {
        Invariant.Require(plan.Index is not null);
        _plan = plan;
        _cancellation = cancellation;
    }

    public long? Total { get; private set; }

    public long Skipped { get; private set; }

    public bool IsInterrupted { get; private set; }

    /// <summary>The entry moved to.</summary>
    public long Entry { get; private set; }

    /// <summary>How the index found the answer, for people; null until it was asked.</summary>
    public string? Explanation => _result?.Explain();

    public bool Begin(QueryMoment moment)
    {
        var index = moment.Index!;
        if ((_instance ??= index.InstanceId) != index.InstanceId)
            throw new IndexUnavailableException(index.Index.Name, "it was built again while the query was being answered. Ask again.");
        if (_entries == default)
            _entries = index.Entries;
        if (!index.HasEntriesOf(_entries))
            throw new IndexUnavailableException(
                index.Index.Name,
                "its disk refused a write, and entries were taken back while the query was being answered. Ask again."
            );
        _moment = moment;
        IsInterrupted = false;
        _collection = null;
        _hasCollection = false;
        // Before the documents are opened: so each moment comes forward by a block at least, however long the search takes.
        if (_next == _count && !_isExhausted)
        {
            _result = Search();
            Total ??= _result.Total;
            ReadBlock();
        }
        return true;
    }

    public bool MoveNext(out Document document)
    {
        while (MoveNextEntry())
        {
            if (TryGetDocument(out document))
                return true;
            Skipped++;
        }
        document = default;
        return false;
    }

    /// <summary>Moves to the next entry, whether its document is there or not.</summary>
    public bool MoveNextEntry()
    {
        if (_isExhausted && _next == _count)
            return false;
        IsInterrupted = _moment!.Documents.IsDue;
        if (IsInterrupted || (_next == _count && !ReadBlock()))
            return false;
        Entry = _block[_next++];
        return true;
    }

    public void End()
    {
        _result?.Dispose();
        _result = null;
        _moment = null;
        _foundEnd = 0;
    }

    private bool TryGetDocument(out Document document)
    {
        document = default;
        if (!_hasCollection)
        {
            var collection = _moment!.Index!.Index.Definition.Collection;
            _collection =
                collection is null ? null
                : _moment.Documents.Collection(collection) is { } kept ? Encoding.UTF8.GetBytes(kept.Name)
                : [];
            _hasCollection = true;
        }
        int at = _next - 1;
        if (at < _foundFrom || at >= _foundEnd)
            LookUp(at);
        return (_found[at - _foundFrom].TryGet(out document) || TryGetEvent(out document))
            && (_collection is null || document.Collection.SequenceEqual(_collection));
    }

    /// <summary>Events lie elsewhere than documents, and are looked up one by one.</summary>
    private bool TryGetEvent(out Document document)
    {
        document = default;
        return _moment!.Index!.Search.TryGetSource(Entry, out var source)
            && DocumentsReader.IsEvent(source)
            && _moment.Documents.TryGet(source, out document);
    }

    /// <summary>Looks up the documents of an entry of the block and of those behind it.</summary>
    private void LookUp(int from)
    {
        int count = Math.Min(_count - from, _found.Length);
        Span<PageBytes> sources = stackalloc PageBytes[BTree.MaxTogether];
        sources = sources[..count];
        _moment!.Index!.Search.GetSources(_block.AsSpan(from, count), sources);
        _moment.Documents.GetTogether(sources, _found.AsSpan(0, count));
        (_foundFrom, _foundEnd) = (from, from + count);
    }

    private bool ReadBlock()
    {
        _result ??= Search();
        _foundEnd = 0;
        _next = 0;
        // Of an answer that began in an earlier moment only the limit says where it ends.
        long last = Math.Min(_plan.Take ?? long.MaxValue, _position is null ? Math.Max(0, _result.Total - _plan.Skip) : long.MaxValue);
        if (_block.Length == 0)
        {
            // An answer of a few documents takes no more room than they need.
            _block = new long[Math.Clamp(last, 1, BlockEntries)];
            _found = new FoundDocument[Math.Min(_block.Length, BTree.MaxTogether)];
        }
        _count = _result.Read(_block);
        _read += _count;
        _isExhausted = _count == 0 || _read >= last;
        if (!_isExhausted)
            _position = _result.Position;
        return _count > 0;
    }

    private SearchResult Search() =>
        _moment!.Index!.Search.Search(
            new SearchRequest
            {
                Query = _plan.Index!.Query,
                Order = _plan.Index.Order,
                Skip = _position is null ? _plan.Skip : 0,
                Take = _plan.Take is { } take ? take - _read : long.MaxValue,
                After = _position,
                Cancellation = _cancellation,
            }
        );
}

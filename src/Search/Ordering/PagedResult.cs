using System.Buffers;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Ordering;

/// <summary>A page of a query's matches.</summary>
internal sealed class PagedResult : SearchResult
{
    private readonly QueryRun _run;
    private readonly Match _match;
    private readonly OrderKeys _keys;
    private readonly OrderedEntries _entries;
    private readonly string _counted;
    private long _skip;
    private long _left;
    private long _last;
    private bool _isDisposed;

    public PagedResult(QueryRun run, Match match, OrderKeys keys, OrderedEntries entries, long total, string counted, SearchRequest request)
    {
        _run = run;
        _match = match;
        _keys = keys;
        _entries = entries;
        _counted = counted;
        Total = total;
        _skip = request.Skip;
        _left = request.Skip >= total ? 0 : request.Take;
    }

    /// <inheritdoc/>
    public override long Total { get; }

    /// <inheritdoc/>
    public override SearchPosition Position =>
        _last > 0 ? _keys.PositionOf(_last) : throw new InvalidOperationException("No entry has been read yet.");

    /// <inheritdoc/>
    public override int Read(Span<long> entries)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        entries = entries[..(int)Math.Min(entries.Length, _left)];
        if (entries.IsEmpty)
            return 0;
        if (_skip > 0)
            PassOver();
        int filled = _entries.Fill(entries);
        _left = filled == 0 ? 0 : _left - filled;
        if (filled > 0)
            _last = entries[filled - 1];
        return filled;
    }

    /// <inheritdoc/>
    public override string Explain()
    {
        var description = new MatchDescription();
        description.Line($"total: {Total}, {_counted}");
        _entries.Describe(description);
        _match.Describe(description);
        return description.ToString();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _entries.Dispose();
        _match.Dispose();
        _run.Dispose();
    }

    private void PassOver()
    {
        long[] ids = ArrayPool<long>.Shared.Rent(Match.BlockIds);
        try
        {
            while (_skip > 0)
            {
                int filled = _entries.Fill(ids.AsSpan(0, (int)Math.Min(Match.BlockIds, _skip)));
                if (filled == 0)
                    break;
                _skip -= filled;
            }
        }
        finally
        {
            ArrayPool<long>.Shared.Return(ids);
        }
        _skip = 0;
    }
}

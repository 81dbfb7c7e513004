using System.Buffers;
using System.Globalization;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Ordering;

/// <summary>
/// Matches ordered by columns: a pass over all of them keeps the first so many, the next pass the first behind those. So memory is bounded
/// however deep a page is.
/// </summary>
internal sealed class EntriesByColumns : OrderedEntries
{
    /// <summary>Native memory that one pass keeps entries in.</summary>
    internal const int MaxPassBytes = 8 << 20;

    private readonly QueryRun _run;
    private readonly Match _match;
    private readonly TopEntries _top;
    private readonly OrderReason _how;
    private OrderBound? _bound;
    private int _at;
    private bool _isDone;

    /// <param name="run">The query.</param>
    /// <param name="match">Is read once a pass.</param>
    /// <param name="keys">At least one.</param>
    /// <param name="wanted">Entries that will be asked for at most, those passed over counted.</param>
    /// <param name="after">Resume behind this place; null: from the start.</param>
    /// <param name="how">For people.</param>
    public EntriesByColumns(QueryRun run, Match match, OrderKeys keys, long wanted, SearchPosition? after, in OrderReason how)
    {
        _run = run;
        _match = match;
        _how = how;
        if (after is not null)
        {
            keys.RequireResumable();
            var cells = new ColumnCell[keys.Count];
            keys.Read(after, cells);
            _bound = new OrderBound(keys.All[0].Coarse(cells[0]), cells, after.Entry);
        }
        _top = new TopEntries(keys, (int)Math.Clamp(wanted, 1, PassEntries(keys.Count)));
    }

    /// <summary>Passes over all matches so far.</summary>
    public int Passes { get; private set; }

    /// <summary>Entries that a pass finds at most.</summary>
    public static int PassEntries(int keys) => MaxPassBytes / TopEntries.ItemBytes(keys);

    public override int Fill(Span<long> entries)
    {
        if (_at == _top.Count && !NextPass())
            return 0;
        int count = Math.Min(entries.Length, _top.Count - _at);
        for (int i = 0; i < count; i++)
            entries[i] = _top.EntryAt(_at++);
        return count;
    }

    public override void Describe(MatchDescription description) =>
        description.Line(string.Create(CultureInfo.InvariantCulture, $"order: {_how}; {Passes} passes"));

    public override void Dispose() => _top.Dispose();

    private bool NextPass()
    {
        if (_isDone)
            return false;
        if (Passes++ > 0)
            _bound = _top.Last();
        _top.Clear();
        _at = 0;
        _match.Rewind();
        long[] ids = ArrayPool<long>.Shared.Rent(Match.BlockIds);
        try
        {
            for (int filled; (filled = _match.Fill(ids.AsSpan(0, Match.BlockIds))) > 0; )
            {
                _run.Check();
                _top.Offer(ids.AsSpan(0, filled), _bound);
            }
        }
        finally
        {
            ArrayPool<long>.Shared.Return(ids);
        }
        _top.Sort();
        _isDone = _top.Count < _top.Capacity;
        return _top.Count > 0;
    }
}

using Jackdaw.Search.Matching;

namespace Jackdaw.Search.Ordering;

/// <summary>Matches by entry id, which is the order in which they are found.</summary>
internal sealed class EntriesById : OrderedEntries
{
    private readonly Match _match;
    private readonly QueryRun _run;
    private readonly bool _isDescending;
    private readonly long[] _block = System.Buffers.ArrayPool<long>.Shared.Rent(Match.BlockIds);
    private int _at;
    private int _filled;
    private long _upTo = long.MaxValue;

    /// <param name="run">The query.</param>
    /// <param name="match">A <see cref="BitmapMatch"/> where <paramref name="isDescending"/>.</param>
    /// <param name="isDescending">The newest first.</param>
    /// <param name="after">Resume behind this entry; null: from the start.</param>
    public EntriesById(QueryRun run, Match match, bool isDescending, long? after)
    {
        _run = run;
        _match = match;
        _isDescending = isDescending;
        _match.Rewind();
        if (after is { } entry && isDescending)
            _upTo = entry - 1;
        else if (after is { } last)
            _match.SeekTo(last + 1);
    }

    public override int Fill(Span<long> entries)
    {
        _run.Check();
        if (_isDescending)
            return ((BitmapMatch)_match).Collected().FillDescending(ref _upTo, entries);
        if (_at == _filled)
        {
            if (entries.Length >= Match.BlockIds)
                return _match.Fill(entries);
            _at = 0;
            _filled = _match.Fill(_block);
        }
        int count = Math.Min(entries.Length, _filled - _at);
        _block.AsSpan(_at, count).CopyTo(entries);
        _at += count;
        return count;
    }

    public override void Describe(MatchDescription description) =>
        description.Line(_isDescending ? "order: entry id, descending, from the bits" : "order: entry id, as found");

    public override void Dispose() => System.Buffers.ArrayPool<long>.Shared.Return(_block);
}

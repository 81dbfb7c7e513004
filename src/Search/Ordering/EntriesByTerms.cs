using System.Buffers;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Postings;
using Jackdaw.Search.Queries;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Ordering;

/// <summary>
/// Matches ordered by walking a field's terms: for fields without several values, so that each entry is met once. Only as much is walked
/// as is
/// asked for.
/// </summary>
internal sealed class EntriesByTerms : OrderedEntries
{
    /// <summary>Terms between two looks at the cancellation.</summary>
    private const int CheckEvery = 256;

    private readonly QueryRun _run;
    private readonly TermSegment _segment;
    private readonly EntryBitmap? _filter;
    private readonly Match?[] _without;
    private readonly bool _isDescending;
    private readonly OrderReason _how;
    private readonly long[] _ids = ArrayPool<long>.Shared.Rent(Match.BlockIds);
    private readonly PostingReader _postings;
    private BTreeCursor? _cursor;
    private long _termsLeft;

    /// <summary>Entries without a value come in three groups, before or behind the terms.</summary>
    private int _group;
    private long _afterEntry;
    private bool _isInTerm;
    private int _at;
    private int _filled;

    /// <param name="run">The query.</param>
    /// <param name="segment">The terms to walk.</param>
    /// <param name="filter">The matches; null: all entries of the terms match.</param>
    /// <param name="without">Matches without a value: those that lack the field, with null, with an empty array. Null: there are
    /// none.</param>
    /// <param name="key">The order.</param>
    /// <param name="after">Resume behind this place; null: from the start.</param>
    /// <param name="how">For people.</param>
    public EntriesByTerms(
        QueryRun run,
        TermSegment segment,
        EntryBitmap? filter,
        Match?[] without,
        OrderKey key,
        SearchPosition? after,
        in OrderReason how
    )
    {
        _run = run;
        _segment = segment;
        _filter = filter;
        _without = without;
        _isDescending = key.Order.IsDescending;
        _how = how;
        _postings = run.Rent();
        if (after is not null)
            Resume(key, after);
        else if (_isDescending)
            BeginTerms(segment.From, segment.To);
    }

    /// <summary>Terms are the fourth group of four when ascending, the first when descending.</summary>
    private int TermsGroup => _isDescending ? 0 : _without.Length;

    public override int Fill(Span<long> entries)
    {
        while (_at == _filled)
        {
            _run.Check();
            _at = 0;
            _filled = FillBlock(entries.Length);
            if (_filled == 0)
                return 0;
        }
        int count = Math.Min(entries.Length, _filled - _at);
        _ids.AsSpan(_at, count).CopyTo(entries);
        _at += count;
        return count;
    }

    public override void Describe(MatchDescription description) => description.Line($"order: {_how}");

    public override void Dispose()
    {
        _cursor?.Dispose();
        foreach (var match in _without)
            match?.Dispose();
        _run.Return(_postings);
        ArrayPool<long>.Shared.Return(_ids);
    }

    /// <summary>0 only at the end of all groups.</summary>
    private int FillBlock(int wanted)
    {
        for (; _group <= _without.Length; NextGroup())
        {
            int filled = _group == TermsGroup ? FillFromTerms(wanted) : FillWithout();
            if (filled > 0)
                return filled;
        }
        return 0;
    }

    private void NextGroup()
    {
        _group++;
        _afterEntry = 0;
        if (_group == TermsGroup)
            BeginTerms(_segment.From, _segment.To);
    }

    private int FillWithout()
    {
        int rank = _isDescending ? _without.Length - _group : _group;
        if (_without[rank] is not { } match)
            return 0;
        if (_afterEntry > 0)
            match.SeekTo(_afterEntry + 1);
        _afterEntry = 0;
        return match.Fill(_ids);
    }

    private void BeginTerms(byte[] from, byte[] to)
    {
        bool isWhole = from == _segment.From && to == _segment.To;
        _termsLeft = isWhole && _segment.Terms is { } measured ? measured : _segment.Tree.CountRange(from, to);
        _cursor ??= _segment.Tree.OpenCursor();
        if (_termsLeft > 0)
            OpenTerm(_isDescending ? _cursor.SeekBefore(to) : _cursor.Seek(from));
    }

    private void OpenTerm(bool exists)
    {
        _isInTerm = exists;
        if (exists)
            _postings.Open(_segment.Tree, _cursor!.Value);
    }

    /// <summary>Small terms are gathered until there is as much as is wanted, or a block is full.</summary>
    private int FillFromTerms(int wanted)
    {
        int filled = 0;
        int walked = 0;
        while (_isInTerm && filled < wanted && Match.BlockIds - filled >= TermBlock.MaxIds)
        {
            var room = _ids.AsSpan(filled, Match.BlockIds - filled);
            int some = _postings.Fill(room);
            if (some > 0)
            {
                filled += _filter is null ? some : _filter.Filter(room[..some], isIn: true);
                continue;
            }
            if (++walked % CheckEvery == 0)
                _run.Check();
            OpenTerm(--_termsLeft > 0 && (_isDescending ? _cursor!.MovePrevious() : _cursor!.MoveNext()));
        }
        return filled;
    }

    private void Resume(OrderKey key, SearchPosition after)
    {
        int at = 0;
        var cell = key.Read(after.Keys.Span, ref at);
        _afterEntry = after.Entry;
        int rank = Math.Min((int)cell.Kind, _without.Length);
        _group = _isDescending ? _without.Length - rank : rank;
        if (_group < TermsGroup || (_isDescending && _group > 0))
            return;
        byte[] bound = key.BoundKey(cell);
        if (_isDescending)
            BeginTerms(_segment.From, Least(TermSegment.After(bound), _segment.To));
        else
            BeginTerms(Greatest(bound, _segment.From), _segment.To);
        // The term itself may be gone; then all of the next one is behind the place.
        if (_isInTerm && _cursor!.Key.SequenceEqual(bound))
            _postings.SeekTo(after.Entry + 1);
    }

    private static byte[] Least(byte[] a, byte[] b) => a.AsSpan().SequenceCompareTo(b) < 0 ? a : b;

    private static byte[] Greatest(byte[] a, byte[] b) => a.AsSpan().SequenceCompareTo(b) > 0 ? a : b;
}

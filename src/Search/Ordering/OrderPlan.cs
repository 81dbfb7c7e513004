using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Postings;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Ordering;

/// <summary>Chooses how matches are ordered: by columns, or by walking the terms of the field, whichever is estimated to cost
/// less.</summary>
internal sealed class OrderPlan
{
    /// <summary>Nanoseconds for each match that a pass over columns looks at, measured roughly.</summary>
    private const double ColumnNanoseconds = 8;

    /// <summary>Nanoseconds for each posting that a walk looks at.</summary>
    private const double WalkNanoseconds = 40;

    /// <summary>Nanoseconds for each match whose bit is set before a walk can test it.</summary>
    private const double CollectNanoseconds = 3;

    /// <summary>Nanoseconds for each level that an entry sinks in the heap.</summary>
    private const double HeapNanoseconds = 30;

    private readonly QueryRun _run;
    private readonly OrderKeys _keys;
    private readonly OrderChoice _choice;

    public OrderPlan(QueryRun run, OrderKeys keys, OrderChoice choice)
    {
        _run = run;
        _keys = keys;
        _choice = choice;
    }

    /// <summary>Makes the ordered entries of a match, whose size is known. The match may be replaced by one with the same
    /// entries.</summary>
    public OrderedEntries Order(ref Match match, SearchRequest request, long wanted)
    {
        if (_keys.Count == 0)
            return new EntriesById(_run, match, isDescending: false, request.After?.Entry);
        var key = _keys.All[0];
        if (key.Order.Kind == SearchOrderKind.Entry)
        {
            if (key.Order.IsDescending)
                Collect(ref match);
            return new EntriesById(_run, match, key.Order.IsDescending, request.After?.Entry);
        }
        bool canWalk = CanWalk(key, out var segment);
        double columns = CostOfColumns(match.Count, wanted);
        double walk = canWalk ? CostOfWalk(match, key.Field!, segment, wanted) : double.PositiveInfinity;
        bool walks = canWalk && (_choice == OrderChoice.Terms || (_choice == OrderChoice.Cheapest && walk < columns));
        var reason = new OrderReason(_keys, walks, columns, walk);
        return walks
            ? Walk(ref match, key, segment, request.After, reason)
            : new EntriesByColumns(_run, match, _keys, wanted, request.After, reason);
    }

    private static bool IsRangeOf(Match match, TermSegment segment) =>
        match is TermRangeMatch { Segments: [var only] } && only.Tree == segment.Tree;

    /// <summary>Each pass looks at all matches. Of matches in no order, k · (1 + ln(n / k)) enter a heap of k, which is sorted
    /// then.</summary>
    private double CostOfColumns(long matches, long wanted)
    {
        double kept = Math.Clamp(wanted, 1, EntriesByColumns.PassEntries(_keys.Count));
        double passes = Math.Max(1, Math.Ceiling(wanted / kept));
        double sinks = kept * (2 + Math.Log(Math.Max(1, matches / kept)));
        return passes * (matches * ColumnNanoseconds + sinks * Math.Log2(kept + 1) * HeapNanoseconds);
    }

    /// <summary>The terms must be in the order that is asked for, and each entry at one of them.</summary>
    private bool CanWalk(OrderKey key, out TermSegment segment)
    {
        segment = default;
        if (_keys.Count != 1 || key.Field is not { HasSeveralValues: false } field)
            return false;
        if (key.Order.Kind == SearchOrderKind.Number && !field.HasTexts)
            segment = new TermSegment(field.Numbers, [], TermSegment.BehindNumbers, AreNumbers: true);
        else if (key.Order.Kind == SearchOrderKind.Text && !field.HasNumbers && !field.HasCutTexts)
            segment = new TermSegment(field.Texts, TextKey.First.ToArray(), TextKey.FirstCut.ToArray(), AreNumbers: false);
        else
            return false;
        return true;
    }

    private double CostOfWalk(Match match, FieldView field, TermSegment segment, long wanted)
    {
        wanted = Math.Min(wanted, match.Count);
        if (IsRangeOf(match, segment) || match is AllMatch)
            return wanted * WalkNanoseconds;
        double shareOfMatches = Math.Max(1, match.Count) / (double)Math.Max(1, _run.View.EntryCount);
        double collects = match is BitmapMatch { IsExact: true } ? 0 : match.Count * CollectNanoseconds;
        double looksAt = Math.Min(wanted / shareOfMatches, field.Numbers.Sum() + field.Texts.Sum());
        return looksAt * WalkNanoseconds + collects;
    }

    private EntriesByTerms Walk(ref Match match, OrderKey key, TermSegment segment, SearchPosition? after, in OrderReason how)
    {
        if (IsRangeOf(match, segment))
            return new EntriesByTerms(_run, ((TermRangeMatch)match).Segments[0], null, new Match?[3], key, after, how);
        EntryBitmap? filter = null;
        if (match is not AllMatch)
            filter = Collect(ref match);
        Match?[] without =
        [
            Without(new AllMatch(_run), filter, key.Field!, TermMark.Exists),
            With(filter, key.Field!, TermMark.Null),
            With(filter, key.Field!, TermMark.EmptyArray),
        ];
        return new EntriesByTerms(_run, segment, filter, without, key, after, how);
    }

    private EntryBitmap Collect(ref Match match)
    {
        if (match is not BitmapMatch)
            match = new CollectedMatch(_run, match);
        return ((BitmapMatch)match).Collected();
    }

    private Match Without(Match all, EntryBitmap? filter, FieldView field, TermMark mark)
    {
        var source = filter is null ? all : new FilteredMatch(all, filter);
        return field.Texts.TryGet(TextKey.Of(mark), out var value)
            ? new AndMatch(_run, [source], [new TermMatch(_run, field.Texts, value, mark.ToString())])
            : source;
    }

    private Match? With(EntryBitmap? filter, FieldView field, TermMark mark)
    {
        if (!field.Texts.TryGet(TextKey.Of(mark), out var value))
            return null;
        var term = new TermMatch(_run, field.Texts, value, mark.ToString());
        return filter is null ? term : new FilteredMatch(term, filter);
    }
}

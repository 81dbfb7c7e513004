using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>And, or, not.</summary>
internal sealed partial class MatchCompiler
{
    /// <summary>Entries that fit all of the conditions; those within an <c>and</c> count as its own.</summary>
    private Match Together(List<SearchQuery> conditions)
    {
        var of = new List<Match>();
        var not = new List<Match>();
        var ranges = new List<SearchQuery.Range>();
        for (int i = 0; i < conditions.Count; i++)
        {
            switch (conditions[i])
            {
                case SearchQuery.And and:
                    conditions.AddRange(and.Of);
                    break;
                case SearchQuery.Not { Of: SearchQuery.Not twice }:
                    conditions.Add(twice.Of);
                    break;
                case SearchQuery.Not negated:
                    not.Add(Compile(negated.Of));
                    break;
                case SearchQuery.Range range:
                    ranges.Add(range);
                    break;
                default:
                    of.Add(Compile(conditions[i]));
                    break;
            }
        }
        of.AddRange(JoinRanges(ranges).Select(Compile));
        return Intersection(of, not);
    }

    /// <summary>A lower and an upper end on one field are one range, as far as no entry has several values.</summary>
    private List<SearchQuery.Range> JoinRanges(List<SearchQuery.Range> ranges)
    {
        if (ranges.Count < 2)
            return ranges;
        var joined = new List<SearchQuery.Range>();
        // Where in the list a range stands that lacks its other end.
        var halves = new Dictionary<(string Field, bool IsLower, Type Kind), int>();
        foreach (var range in ranges)
        {
            bool isLower = range.From is not null;
            var end = range.From ?? range.To;
            bool isHalf = end is not null && (range.From is null || range.To is null) && CanJoin(range.Field);
            if (isHalf && halves.Remove((range.Field, !isLower, end!.GetType()), out int at))
            {
                var (from, to) = isLower ? (range, joined[at]) : (joined[at], range);
                joined[at] = new SearchQuery.Range(range.Field, from.From, from.IncludesFrom, to.To, to.IncludesTo);
                continue;
            }
            if (isHalf)
                halves[(range.Field, isLower, end!.GetType())] = joined.Count;
            joined.Add(range);
        }
        return joined;
    }

    private bool CanJoin(string field) => run.View.Field(field) is { HasSeveralValues: false };

    private Match Intersection(List<Match> of, List<Match> not)
    {
        if (of.Find(match => match is NoMatch) is { } none)
        {
            DisposeAllBut(none, of, not);
            return none;
        }
        if (not.Find(match => match is AllMatch) is not null)
        {
            DisposeAllBut(null, of, not);
            return new NoMatch("not of everything");
        }
        of.RemoveAll(match => match is AllMatch);
        not.RemoveAll(match => match is NoMatch);
        if (of.Count == 0)
            of.Add(new AllMatch(run));
        return of.Count == 1 && not.Count == 0 ? of[0] : new AndMatch(run, of, not);
    }

    private Match Any(IReadOnlyList<SearchQuery> conditions)
    {
        var of = new List<Match>();
        var terms = new Dictionary<string, List<SearchValue>>(StringComparer.Ordinal);
        foreach (var condition in conditions)
        {
            if (condition is not SearchQuery.Term term)
                of.Add(Compile(condition));
            else if (terms.TryGetValue(term.Field, out var values))
                values.Add(term.Value);
            else
                terms.Add(term.Field, [term.Value]);
        }
        // Terms of one field are looked up together.
        foreach (var (name, values) in terms)
            of.Add(Compile(values.Count == 1 ? new SearchQuery.Term(name, values[0]) : new SearchQuery.In(name, values)));
        return Union(of, areDisjoint: false);
    }

    private Match Union(List<Match> of, bool areDisjoint)
    {
        if (of.Find(match => match is AllMatch) is { } all)
        {
            DisposeAllBut(all, of, []);
            return all;
        }
        if (of.Count > 0 && of.TrueForAll(match => match is NoMatch))
            return of[0];
        of.RemoveAll(match => match is NoMatch);
        return of.Count switch
        {
            0 => new NoMatch("or of nothing"),
            1 => of[0],
            <= OrMatch.MaxMatches => new OrMatch(run, of, areDisjoint),
            _ => new UnionMatch(run, of),
        };
    }

    private static void DisposeAllBut(Match? kept, List<Match> of, List<Match> not)
    {
        foreach (var match in of.Concat(not))
        {
            if (match != kept)
                match.Dispose();
        }
    }
}

using System.Text;
using Jackdaw.Search.Analysis;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>Makes matches of conditions. Looks terms up; reads no postings yet.</summary>
internal sealed partial class MatchCompiler(QueryRun run)
{
    private int _depth;

    /// <summary>Errors: a <see cref="SearchQueryException"/> that names the condition.</summary>
    public Match Compile(SearchQuery query)
    {
        if (++_depth > SearchQueryLimits.MaxQueryDepth)
            throw new SearchQueryException(
                $"The query nests its conditions more than {SearchQueryLimits.MaxQueryDepth} deep (SearchQueryLimits.MaxQueryDepth)."
            );
        run.Check();
        var match = query switch
        {
            SearchQuery.All => new AllMatch(run),
            SearchQuery.None => new NoMatch("none"),
            SearchQuery.And and => Together([.. and.Of]),
            SearchQuery.Or or => Any(or.Of),
            SearchQuery.Not not => Together([not]),
            SearchQuery.Term term => OnField(term.Field, field => Term(field, term.Value)),
            SearchQuery.In some => OnField(some.Field, field => Terms(field, some)),
            SearchQuery.Prefix prefix => OnField(prefix.Field, field => Prefix(field, prefix.Text)),
            SearchQuery.Suffix suffix => OnField(suffix.Field, field => Edge(field, suffix.Text, isAnywhere: false)),
            SearchQuery.Contains part => OnField(part.Field, field => Edge(field, part.Text, isAnywhere: true)),
            SearchQuery.Wildcard wildcard => OnField(wildcard.Field, field => Wildcard(field, wildcard.Pattern)),
            SearchQuery.Regex regex => Regex(regex),
            SearchQuery.Range range => OnField(range.Field, field => Range(field, range)),
            SearchQuery.Exists exists => OnField(
                exists.Field,
                field => OneTerm(MarkOf(field, TermMark.Exists), 0, $"exists({field.Name})")
            ),
            SearchQuery.Words words => OnField(words.Field, field => Words(field, words)),
            _ => throw new SearchQueryException($"The condition {query.GetType().Name} is not one that an index can answer."),
        };
        _depth--;
        return match;
    }

    private Match OnField(string name, Func<FieldView, Match> compile) =>
        run.View.Field(name) is { } field ? compile(field) : new NoMatch($"the index has no field '{name}'");

    private TermKeys MarkOf(FieldView field, TermMark mark)
    {
        var keys = run.KeysOf(field);
        keys.Add(mark);
        return keys;
    }

    private Match OneTerm(TermKeys keys, int index, string what) =>
        keys.TryGet(index, out var tree, out var value) ? new TermMatch(run, tree, value, what) : new NoMatch($"{what}, no such term");

    private Match Term(FieldView field, SearchValue value)
    {
        var keys = run.KeysOf(field);
        AddKeys(keys, value);
        string what = $"{field.Name} = {Show(value)}";
        // A text that the analyzer takes apart is each of its words.
        return keys.Count == 1 ? OneTerm(keys, 0, what) : EachOf(keys, what);
    }

    private Match EachOf(TermKeys keys, string what)
    {
        if (keys.Count == 0)
            return new NoMatch($"{what}, without words");
        if (keys.Count > OrMatch.MaxMatches)
            return new TermSetMatch(run, keys, isAll: true, what);
        keys.Sort();
        return Intersection(OneTermEach(keys, what), []);
    }

    private Match AnyOf(TermKeys keys, string what)
    {
        if (keys.Count > OrMatch.MaxMatches)
            return new TermSetMatch(run, keys, isAll: false, what);
        keys.Sort();
        bool areDisjoint = !keys.Field.HasSeveralValues;
        return Union(OneTermEach(keys, what), areDisjoint);
    }

    private List<Match> OneTermEach(TermKeys keys, string what)
    {
        var each = new List<Match>(keys.Count);
        for (int i = 0; i < keys.Count; i++)
            each.Add(OneTerm(keys, i, what));
        return each;
    }

    private Match Terms(FieldView field, SearchQuery.In some)
    {
        if (some.Values.Count > SearchQueryLimits.MaxInValues)
            throw new SearchQueryException(
                $"The 'in' on '{field.Name}' has {some.Values.Count} values; the limit is {SearchQueryLimits.MaxInValues} "
                    + "(SearchQueryLimits.MaxInValues)."
            );
        string what = $"{field.Name} {(some.IsAll ? "all in" : "in")} ({some.Values.Count} values)";
        if (some.Values.Count == 0)
            return some.IsAll ? new AllMatch(run) : new NoMatch(what);
        var keys = run.KeysOf(field);
        var apart = new List<Match>();
        foreach (var value in some.Values)
        {
            int before = keys.Count;
            AddKeys(keys, value);
            if (keys.Count == before + 1 || (some.IsAll && keys.Count > before))
                continue;
            // Of any value, all words; one without words fits nothing.
            keys.TakeBack(before);
            apart.Add(Term(field, value));
        }
        if (some.IsAll)
            return Intersection([.. apart, .. keys.Count == 0 ? [] : (Match[])[EachOf(keys, what)]], []);
        return apart.Count == 0 ? AnyOf(keys, what) : Union([.. apart, AnyOf(keys, what)], areDisjoint: false);
    }

    private static void AddKeys(TermKeys keys, SearchValue value)
    {
        switch (value)
        {
            case SearchValue.Mark mark:
                keys.Add((TermMark)mark.Kind);
                break;
            case SearchValue.Number number:
                RequireFinite(number.Value);
                keys.Add(number.Value);
                break;
            case SearchValue.Text text:
                Analyze(keys.Field, text.Value, keys);
                break;
        }
    }

    private static void Analyze(FieldView field, string text, ITermSink sink)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        field.Known.Analyzer.Analyze(utf8, sink);
    }

    private static void RequireFinite(SearchNumber number)
    {
        if (!double.IsFinite(number.Value))
            throw new SearchQueryException($"{number.Value} is no number that a field can have.");
    }

    private static string Show(SearchValue value) =>
        value switch
        {
            SearchValue.Text text => text.Value.Length > 60 ? $"'{text.Value[..60]}…'" : $"'{text.Value}'",
            SearchValue.Number number => SearchNumberText.Of(number.Value),
            SearchValue.Mark mark => mark.Kind == SearchValue.MarkKind.Null ? "null" : "[]",
            _ => value.ToString(),
        };
}

using Jackdaw.Documents;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// The methods of RQL, those that this version answers and those that it does not. A call that cannot be answered is refused by what it
/// is: a method that comes later, one that belongs elsewhere, or no method at all.
/// </summary>
internal static class RqlMethods
{
    private const RqlMethodPlace Grouped = RqlMethodPlace.Field | RqlMethodPlace.Order | RqlMethodPlace.Select;

    /// <summary>As they are shown to people; casing does not matter.</summary>
    private static readonly (string Name, RqlMethodPlace Places)[] s_all =
    [
        ("boost", RqlMethodPlace.Condition),
        ("endsWith", RqlMethodPlace.Condition),
        ("exact", RqlMethodPlace.Condition),
        ("exists", RqlMethodPlace.Condition),
        ("fuzzy", RqlMethodPlace.Condition),
        ("intersect", RqlMethodPlace.Condition),
        ("lucene", RqlMethodPlace.Condition),
        ("moreLikeThis", RqlMethodPlace.Condition),
        ("proximity", RqlMethodPlace.Condition),
        ("regex", RqlMethodPlace.Condition),
        ("search", RqlMethodPlace.Condition),
        ("spatial.contains", RqlMethodPlace.Condition),
        ("spatial.disjoint", RqlMethodPlace.Condition),
        ("spatial.intersects", RqlMethodPlace.Condition),
        ("spatial.within", RqlMethodPlace.Condition),
        ("startsWith", RqlMethodPlace.Condition),
        ("vector.search", RqlMethodPlace.Condition),
        ("id", RqlMethodPlace.Field | RqlMethodPlace.Value | RqlMethodPlace.Order | RqlMethodPlace.Select),
        ("cmpxchg", RqlMethodPlace.Value | RqlMethodPlace.Select | RqlMethodPlace.Include),
        ("now", RqlMethodPlace.Value),
        ("today", RqlMethodPlace.Value),
        ("custom", RqlMethodPlace.Order),
        ("random", RqlMethodPlace.Order),
        ("score", RqlMethodPlace.Order),
        ("spatial.distance", RqlMethodPlace.Order),
        ("count", Grouped),
        ("key", Grouped),
        ("sum", Grouped),
        ("counter", RqlMethodPlace.Select),
        ("counterRaw", RqlMethodPlace.Select),
        ("facet", RqlMethodPlace.Select),
        ("suggest", RqlMethodPlace.Select),
        ("timeseries", RqlMethodPlace.Select | RqlMethodPlace.Include),
        ("counters", RqlMethodPlace.Include),
        ("explanations", RqlMethodPlace.Include),
        ("highlight", RqlMethodPlace.Include),
        ("revisions", RqlMethodPlace.Include),
        ("timings", RqlMethodPlace.Include),
    ];

    /// <summary>Those whose answer has members: a path may stand behind the call.</summary>
    private static readonly string[] s_withMembers = ["cmpxchg", "counterRaw", "key", "timeseries"];

    /// <summary>Makes the error of a call that is not answered.</summary>
    /// <param name="call">The call.</param>
    /// <param name="place">Where it stands.</param>
    /// <param name="declared">Names of functions that may be called there, too.</param>
    /// <returns>A <see cref="QueryNotSupportedException"/> for a method that RQL has there, a
    /// <see cref="QueryArgumentException"/> for everything else.</returns>
    public static QueryException Refusal(RqlMethodCall call, RqlMethodPlace place, IReadOnlyList<string>? declared = null)
    {
        var known = s_all.FirstOrDefault(method => call.Is(method.Name));
        if (known.Name is null)
            return new QueryArgumentException($"There is no method {call.Name}(){Hint(call.Name, place, declared ?? [])}", call.At);
        if (!known.Places.HasFlag(place))
            return new QueryArgumentException(
                $"{known.Name}() cannot stand {Words(place)}; it stands {string.Join(" or ", Each(known.Places).Select(Words))}",
                call.At
            );
        return call.Path.Count > 0 && !s_withMembers.Contains(known.Name)
            ? new QueryArgumentException($"{known.Name}() has no members, and a path stands behind it", call.At)
            : new QueryNotSupportedException($"{known.Name}() {Words(place)}", call.At);
    }

    private static string Hint(string name, RqlMethodPlace place, IReadOnlyList<string> declared)
    {
        string[] here = [.. s_all.Where(method => method.Places.HasFlag(place)).Select(method => method.Name), .. declared];
        return NearestName.Of(name, here) is { } nearest ? $" {Words(place)}; did you mean {nearest}()?"
            : here.Length > 0 ? $" {Words(place)}; RQL has {string.Join(", ", here.Select(method => method + "()"))} there"
            : $", and none can stand {Words(place)}";
    }

    private static IEnumerable<RqlMethodPlace> Each(RqlMethodPlace places) =>
        Enum.GetValues<RqlMethodPlace>().Where(place => places.HasFlag(place));

    private static string Words(RqlMethodPlace place) =>
        place switch
        {
            RqlMethodPlace.Condition => "as a condition",
            RqlMethodPlace.Field => "in place of a field",
            RqlMethodPlace.Value => "as a value",
            RqlMethodPlace.Order => "in 'order by'",
            RqlMethodPlace.Select => "in 'select'",
            RqlMethodPlace.Include => "in 'include'",
            _ => "in 'load'",
        };
}

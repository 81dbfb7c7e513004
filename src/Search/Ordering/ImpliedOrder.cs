using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Ordering;

/// <summary>
/// The order of a query that names none. It is that of entry ids, with one exception: a range alone, with many matches, is given in the
/// order of the range's values. Its first page then needs no look at the other matches, which entry order does.
/// </summary>
internal static class ImpliedOrder
{
    /// <summary>So many matches of a range are put in the order of entry ids. The number of matches decides alone, so that all pages of one
    /// index's state have one order.</summary>
    public const long MaxSortedMatches = 1_024;

    /// <summary>The order that the query has or implies.</summary>
    public static IReadOnlyList<SearchOrder> Of(SearchRequest request, Match match)
    {
        if (request.Order.Count > 0)
            return request.Order;
        if (request.After is { Keys.IsEmpty: false })
        {
            // It goes on in the order that it began with.
            return request.Query is SearchQuery.Range range
                ? ByValues(range.Field)
                : throw new SearchQueryException("The position to resume behind was not made by this query.");
        }
        if (request.After is not null || match is not TermRangeMatch { IsExact: true, Segments: [{ AreNumbers: true }], Field: { } field })
            return request.Order;
        bool isByValues =
            match.Count > MaxSortedMatches && request.Query is SearchQuery.Range && field.IsSortable && !field.HasSeveralValues;
        return isByValues ? ByValues(field.Name) : request.Order;
    }

    private static IReadOnlyList<SearchOrder> ByValues(string field) => [new SearchOrder(SearchOrderKind.Number, field)];
}

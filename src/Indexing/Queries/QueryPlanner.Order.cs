using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>Orders.</summary>
public sealed partial class QueryPlanner
{
    /// <summary>The order of a query that needs no index; null when its order takes one. Ids come in the order of etags, prefixes in the
    /// order of ids, in which they are read.</summary>
    private QueryOrder? OrderWithoutIndex(IdCondition condition)
    {
        if (_query.OrderBy.Count == 0)
            return condition.Kind == QuerySourceKind.IdPrefix ? QueryOrder.IdAscending : QueryOrder.EtagAscending;
        if (
            _query.OrderBy is not [var only]
            || !_scope.IsId(only.Expression)
            || only.As is not (RqlOrderingType.Unspecified or RqlOrderingType.Text)
        )
            return null;
        return only.Descending ? QueryOrder.IdDescending : QueryOrder.IdAscending;
    }

    private SearchOrder OrderInIndex(RqlOrdering ordering, WantedFields fields)
    {
        var kind = ordering.As switch
        {
            RqlOrderingType.Long or RqlOrderingType.Double => SearchOrderKind.Number,
            RqlOrderingType.AlphaNumeric => SearchOrderKind.AlphaNumeric,
            _ => SearchOrderKind.Text,
        };
        return ordering.Expression switch
        {
            RqlField field => new SearchOrder(kind, fields.Plain(_scope.PathOf(field)), ordering.Descending),
            _ when _scope.IsId(ordering.Expression) => new SearchOrder(kind, WantedFields.Id, ordering.Descending),
            RqlMethodCall { Path.Count: 0 } call when call.Is("random") => Random(call, ordering.Descending),
            RqlMethodCall call => throw RqlMethods.Refusal(call, RqlMethodPlace.Order),
            _ => throw Unsupported("'order by' anything but fields, id() and random()", ordering),
        };
    }

    private SearchOrder Random(RqlMethodCall call, bool isDescending)
    {
        var seed = call.Arguments switch
        {
            // The seed is part of the plan, so that a long answer goes on in the same order.
            [] => Guid.NewGuid().ToString("N"),
            [var given] => QueryValue.Of(given, _scope).Text,
            _ => throw new QueryArgumentException("random() takes a seed, or nothing", call.At),
        };
        return new SearchOrder(SearchOrderKind.Random, "", isDescending, seed);
    }

    private static bool IsRandom(RqlOrdering ordering) =>
        ordering.Expression is RqlMethodCall { Path.Count: 0, Arguments.Count: 0 } call && call.Is("random");
}

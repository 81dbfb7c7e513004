using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Makes a plan of a query's text. A collection or all documents, whole, by ids or by the beginning of ids, in the order of etags or ids,
/// need no index. Everything else asks one. What is not supported is refused with the part that is not.
/// </summary>
public sealed partial class QueryPlanner
{
    private readonly RqlQuery _query;

    private readonly RqlParameters _parameters;

    private readonly QueryScope _scope;

    /// <summary>As it was written.</summary>
    private readonly string _text;

    private QueryPlanner(string text, RqlQuery query, RqlParameters parameters, TimeProvider? clock)
    {
        _text = text;
        _query = query;
        _parameters = parameters;
        _scope = new QueryScope(query.From.Alias, parameters, clock ?? TimeProvider.System);
    }

    /// <summary>Parses and plans.</summary>
    /// <param name="query">The text of the query.</param>
    /// <param name="parameters">The values of its parameters; more than it uses are no error.</param>
    /// <param name="clock">Tells the moment of <c>now()</c> and <c>today()</c>; null: the system's.</param>
    /// <exception cref="RqlSyntaxException">The text is not RQL, or beyond one of <see cref="RqlLimits"/>.</exception>
    /// <exception cref="QueryParameterException">A parameter is missing or its value cannot stand where it is used.</exception>
    /// <exception cref="QueryNotSupportedException">This version cannot answer such a query.</exception>
    /// <exception cref="QueryArgumentException">A part of the query cannot stand where it does.</exception>
    public static QueryPlan Plan(string query, RqlParameters parameters, TimeProvider? clock = null)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return new QueryPlanner(query, ParsedQueries.Shared.Get(query), parameters, clock).Plan();
    }

    private QueryPlan Plan()
    {
        RefuseUnsupportedClauses();
        var select = _query.Select is { Items: [{ Expression: RqlStar }] } ? null : _query.Select;
        bool needsScript = select is not null && NeedsScript(select);
        if (_query.Load is [var load, ..] && !needsScript)
            throw new QueryArgumentException("'load' needs a 'select' that shows what was loaded", load.At);
        var plan = PlanSource() with
        {
            Skip = Count(_query.Offset, "offset") ?? 0,
            Take = Count(_query.Limit, "limit"),
            Includes = [.. _query.Include.Where(include => !IsTimings(include)).Select(Include)],
            WantsTimings = _query.Include.Any(IsTimings),
            Filter = _query.Filter is { } filter ? PlanFilter(filter) : null,
            IsDistinct = select is { Distinct: true },
            Projection = select is null || needsScript ? null : Projection(select),
            Script = needsScript ? Script(select!) : null,
        };
        return WithMetadataTest(plan) with { DependsOnTime = _scope.HasAskedForTime };
    }

    /// <summary>Where the documents come from: the collection where that is enough, or an index.</summary>
    private QueryPlan PlanSource()
    {
        var collection = _query.From.Kind == RqlSourceKind.Collection ? _query.From.Name : null;
        if (_query.From.Kind != RqlSourceKind.Index)
        {
            var condition = _query.Where is { } where ? new IdConditions(_scope).Read(where) : IdCondition.Everything;
            if (condition is not null && OrderWithoutIndex(condition) is { } order)
            {
                return new QueryPlan
                {
                    Collection = collection,
                    Source = condition.Kind,
                    Ids = condition.Ids,
                    IdPrefix = condition.Prefix,
                    Order = order,
                };
            }
        }
        return new QueryPlan { Collection = collection, Index = PlanIndex(collection) };
    }

    private IndexPlan PlanIndex(string? collection)
    {
        var fields = new WantedFields();
        var query = _query.Where is { } where ? new ConditionReader(_scope, fields).Read(where) : new SearchQuery.All();
        var orders = _query.OrderBy.Select(ordering => OrderInIndex(ordering, fields)).ToList();
        return new IndexPlan
        {
            Name = _query.From.Kind == RqlSourceKind.Index ? _query.From.Name : null,
            NameAt = _query.From.At,
            Wanted = fields.Of(collection),
            Query = query,
            Order = orders,
            IsRandom = _query.OrderBy.Any(IsRandom),
        };
    }

    private FilterPlan PlanFilter(RqlExpression filter)
    {
        var fields = new WantedFields();
        var query = new ConditionReader(_scope, fields).Read(filter);
        var wanted = fields.Of(null);
        if (wanted.Fields.Any(field => field.HasSearch))
            throw Unsupported("search() in 'filter' (use it in 'where')", filter);
        return new FilterPlan(query, wanted, Count(_query.FilterLimit, "filter_limit"));
    }

    private static bool IsTimings(RqlExpression include) =>
        include is RqlMethodCall { Path.Count: 0, Arguments.Count: 0 } call && call.Is("timings");

    private void RefuseUnsupportedClauses()
    {
        if (_query.From.SourceFilter is { } filter)
            throw Unsupported("a condition in the 'from' clause (only subscriptions have it)", filter);
        if (_query.Declarations.FirstOrDefault(declared => declared is not RqlFunctionDeclaration) is { } declaration)
            throw new QueryNotSupportedException("a declared time-series query", declaration.At);
        if (_query.GroupBy is [var key, ..])
            throw new QueryNotSupportedException("'group by' (grouping takes a map-reduce index)", key.At);
        if (_query.FilterLimit is { } limit and not RqlNull && _query.Filter is null)
            throw new QueryArgumentException("'filter_limit' bounds a 'filter', and the query has none", limit.At);
        if (_query.Update is { } update)
            throw new QueryNotSupportedException("the 'update' clause", update.At);
    }

    private static QueryNotSupportedException Unsupported(string what, RqlNode node) => new(what, node.At);

    private long? Count(RqlExpression? expression, string clause)
    {
        switch (expression)
        {
            case null or RqlNull:
                return null;
            case RqlNumber number:
                // The grammar has let in digits only; more of them than fit are as good as no limit.
                return long.TryParse(number.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var written)
                    ? written
                    : long.MaxValue;
            case RqlParameter parameter:
                var value = _scope.ValueOf(parameter);
                if (value.ValueKind == JsonValueKind.Null)
                    return null;
                if (value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var given) && given >= 0)
                    return given;
                // JavaScript writes what others take for no limit, 2^63 - 1, as 9223372036854776000.
                if (value.ValueKind == JsonValueKind.Number && value.GetDouble() is var whole && whole >= 0 && double.IsInteger(whole))
                    return whole >= long.MaxValue ? long.MaxValue : (long)whole;
                throw new QueryParameterException(
                    $"'{clause}' takes a whole number that is not negative, and ${parameter.Name} is {RqlParameters.Describe(value)}",
                    parameter.At
                );
            default:
                throw Unsupported($"this value of '{clause}'", expression);
        }
    }

    private IncludePath Include(RqlExpression include) =>
        include switch
        {
            RqlString text => IncludePath.Parse(_scope.WithoutAlias(text.Value)),
            RqlField field => Include(field),
            RqlMethodCall call => throw RqlMethods.Refusal(call, RqlMethodPlace.Include),
            _ => throw Unsupported("including anything but the path of a field", include),
        };

    private IncludePath Include(RqlField field)
    {
        var path = _scope.WithoutAlias(field);
        var segments = path.Select(segment =>
            segment switch
            {
                RqlProperty { Name: "$Keys" } => JsonPathSegment.Of(JsonPathSegmentKind.Keys),
                RqlProperty { Name: "$Values" } => JsonPathSegment.Of(JsonPathSegmentKind.Values),
                _ => SegmentOf(segment),
            }
        );
        return IncludePath.Of(TextOf(path), segments);
    }

    /// <summary>A path as answers show it: without the source's alias and without quotes.</summary>
    private static string TextOf(RqlList<RqlPathSegment> path)
    {
        var text = new StringBuilder();
        foreach (var segment in path)
        {
            if (segment is RqlProperty property)
                text.Append(text.Length > 0 ? "." : "").Append(property.Name);
            else if (segment is RqlElementAt element)
                text.Append(CultureInfo.InvariantCulture, $"[{element.Index}]");
            else
                text.Append("[]");
        }

        return text.ToString();
    }

    private static JsonPathSegment SegmentOf(RqlPathSegment segment) =>
        segment switch
        {
            RqlProperty property => JsonPathSegment.Property(property.Name),
            RqlElementAt element => JsonPathSegment.Of(JsonPathSegmentKind.ElementAt, element.Index),
            _ => JsonPathSegment.Of(JsonPathSegmentKind.EachElement),
        };
}

using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Makes a plan of a query's text. Today that is possible for queries that need no index: a collection or all documents, whole, by
/// ids or by the beginning of ids, in the order of etags or ids. Anything else is refused with the part that is not supported.
/// </summary>
public sealed partial class QueryPlanner
{
    private readonly RqlQuery _query;

    private readonly RqlParameters _parameters;

    private QueryPlanner(RqlQuery query, RqlParameters parameters)
    {
        _query = query;
        _parameters = parameters;
    }

    /// <summary>Parses and plans.</summary>
    /// <param name="query">The text of the query.</param>
    /// <param name="parameters">The values of its parameters; more than it uses are no error.</param>
    /// <exception cref="RqlSyntaxException">The text is not RQL, or beyond one of <see cref="RqlLimits"/>.</exception>
    /// <exception cref="QueryParameterException">A parameter is missing or its value cannot stand where it is used.</exception>
    /// <exception cref="QueryNotSupportedException">This version cannot answer such a query.</exception>
    /// <exception cref="IndexDoesNotExistException">The query names an index.</exception>
    public static QueryPlan Plan(string query, RqlParameters parameters)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return new QueryPlanner(RqlParser.Parse(query), parameters).Plan();
    }

    private QueryPlan Plan()
    {
        RefuseUnsupportedClauses();
        var condition = _query.Where is { } where ? Condition(where) : IdCondition.Everything;
        return new QueryPlan
        {
            Collection = _query.From.Kind == RqlSourceKind.AllDocuments ? null : _query.From.Name,
            Source = condition.Kind,
            Ids = condition.Ids,
            IdPrefix = condition.Prefix,
            Order = Order(condition),
            Skip = Count(_query.Offset, "offset") ?? 0,
            Take = Count(_query.Limit, "limit"),
            Includes = [.. _query.Include.Select(Include)],
            Projection = _query.Select is { } select ? Projection(select) : null,
        };
    }

    private void RefuseUnsupportedClauses()
    {
        if (_query.From.Kind == RqlSourceKind.Index)
            throw new IndexDoesNotExistException(_query.From.Name, _query.From.At);
        if (_query.From.SourceFilter is { } filter)
            throw Unsupported("a condition in the 'from' clause (only subscriptions have it)", filter);
        if (_query.Declarations is [var declaration, ..])
            throw new QueryNotSupportedException(
                declaration is RqlFunctionDeclaration ? "a declared function" : "a declared time-series query",
                declaration.At
            );
        if (_query.GroupBy is [var key, ..])
            throw new QueryNotSupportedException("'group by' needs an index, which this version does not build yet", key.At);
        if (_query.Load is [var load, ..])
            throw new QueryNotSupportedException("the 'load' clause", load.At);
        if (_query.Filter is { } scanned)
            throw new QueryNotSupportedException("the 'filter' clause", scanned.At);
        if (_query.FilterLimit is { } filterLimit)
            throw new QueryNotSupportedException("'filter_limit'", filterLimit.At);
        if (_query.Update is { } update)
            throw new QueryNotSupportedException("the 'update' clause", update.At);
    }

    private static QueryNotSupportedException Unsupported(string what, RqlNode node) => new(what, node.At);

    /// <summary>Ids come in the order of etags, prefixes in the order of ids, in which they are read.</summary>
    private QueryOrder Order(IdCondition condition)
    {
        if (_query.OrderBy.Count == 0)
            return condition.Kind == QuerySourceKind.IdPrefix ? QueryOrder.IdAscending : QueryOrder.EtagAscending;

        var first = _query.OrderBy[0];
        if (!IsId(first.Expression))
            throw Unsupported("'order by' anything but id() needs an index, which this version does not build yet", first);
        if (first.As is not (RqlOrderingType.Unspecified or RqlOrderingType.Text))
            throw Unsupported("ordering ids as anything but text", first);
        if (_query.OrderBy.Count > 1)
            throw Unsupported("a second key of 'order by' (ids are never equal)", _query.OrderBy[1]);
        return first.Descending ? QueryOrder.IdDescending : QueryOrder.IdAscending;
    }

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
                var value = ValueOf(parameter);
                if (value.ValueKind == JsonValueKind.Null)
                    return null;
                if (value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var given) && given >= 0)
                    return given;
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
            RqlString text => IncludePath.Parse(WithoutAlias(text.Value)),
            RqlField field => Include(field),
            RqlMethodCall call => throw Unsupported($"including {call.Name}()", call),
            _ => throw Unsupported("including anything but the path of a field", include),
        };

    private IncludePath Include(RqlField field)
    {
        var path = WithoutAlias(field);
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

    private RqlList<RqlPathSegment> WithoutAlias(RqlField field) =>
        field.Path.Count > 1
        && field.Path[0] is RqlProperty { Name: var first }
        && first == _query.From.Alias
        && field.Path[1] is RqlProperty
            ? [.. field.Path.Skip(1)]
            : field.Path;

    private string WithoutAlias(string path) =>
        _query.From.Alias is { } alias && path.StartsWith(alias + ".", StringComparison.Ordinal) ? path[(alias.Length + 1)..] : path;

    private bool IsId(RqlExpression expression) =>
        expression is RqlMethodCall { Path.Count: 0 } call
        && call.Is("id")
        && call.Arguments switch
        {
            [] => true,
            [RqlField { Path: [RqlProperty { Name: var of }] }] => of == _query.From.Alias,
            _ => false,
        };

    private JsonElement ValueOf(RqlParameter parameter) =>
        _parameters.TryGet(parameter.Name, out var value)
            ? value
            : throw new QueryParameterException(
                $"The query uses ${parameter.Name}, and its parameters have no value of that name",
                parameter.At
            );
}

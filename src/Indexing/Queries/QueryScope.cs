using System.Text.Json;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>What names mean inside a query: the alias of its source, its parameters, and the time.</summary>
internal sealed class QueryScope(string? alias, RqlParameters parameters, TimeProvider clock)
{
    private DateTime? _now;

    /// <summary>The moment of the query (UTC), the same wherever it is asked for.</summary>
    public DateTime Now => _now ??= clock.GetUtcNow().UtcDateTime;

    /// <summary>The query has asked for the time: at another time it asks for something else.</summary>
    public bool HasAskedForTime => _now is not null;

    /// <summary>Null when the source has none.</summary>
    public string? Alias => alias;

    /// <summary>The path of a field inside its document.</summary>
    public RqlList<RqlPathSegment> WithoutAlias(RqlField field) =>
        field.Path.Count > 1 && field.Path[0] is RqlProperty { Name: var first } && first == alias && field.Path[1] is RqlProperty
            ? [.. field.Path.Skip(1)]
            : field.Path;

    /// <summary>The same for a path that stands in quotes.</summary>
    public string WithoutAlias(string path) =>
        alias is not null && path.StartsWith(alias + ".", StringComparison.Ordinal) ? path[(alias.Length + 1)..] : path;

    /// <summary>Is it <c>id()</c>, or <c>id(u)</c> of the source's alias?</summary>
    public bool IsId(RqlExpression expression) =>
        expression is RqlMethodCall { Path.Count: 0 } call
        && call.Is("id")
        && call.Arguments switch
        {
            [] => true,
            [RqlField { Path: [RqlProperty { Name: var of }] }] => of == alias,
            _ => false,
        };

    /// <summary>The value of a parameter.</summary>
    public JsonElement ValueOf(RqlParameter parameter) =>
        parameters.TryGet(parameter.Name, out var value)
            ? value
            : throw new QueryParameterException(
                $"The query uses ${parameter.Name}, and its parameters have no value of that name",
                parameter.At
            );

    /// <summary>The one text of a field's path in definitions of indexes.</summary>
    public string PathOf(RqlField field)
    {
        var steps = new List<FieldPathStep>();
        foreach (var segment in WithoutAlias(field))
        {
            if (segment is RqlProperty property)
                steps.Add(new FieldPathStep(property.Name, IsEach: false));
            else if (segment is RqlEachElement)
                steps[^1] = steps[^1] with { IsEach = true };
            else
                throw new QueryNotSupportedException("a condition or an order by one element of an array ('[0]')", field.At);
        }
        return FieldPathText.Of(steps);
    }
}

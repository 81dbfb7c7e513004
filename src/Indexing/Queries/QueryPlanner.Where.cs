using System.Text.Json;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>Conditions that speak of ids alone.</summary>
public sealed partial class QueryPlanner
{
    private const string NeedsIndex = "needs an index, which this version does not build yet";

    private IdCondition Condition(RqlExpression where)
    {
        switch (where)
        {
            case RqlBoolean { Value: var everything }:
                return everything ? IdCondition.Everything : IdCondition.Of([]);
            case RqlComparison comparison when IsId(comparison.Left):
                if (comparison.Operator != RqlComparisonOperator.Equal)
                    throw Unsupported("comparing id() other than by '=', 'in' and startsWith()", comparison);
                return IdCondition.Of([.. IdsOf(comparison.Right, isList: false)]);
            case RqlIn @in when IsId(@in.Operand):
                if (@in.All)
                    throw Unsupported("'all in' on id()", @in);
                return IdCondition.Of([.. @in.Values.SelectMany(value => IdsOf(value, isList: true))]);
            case RqlBetween between when IsId(between.Operand):
                throw Unsupported("comparing id() other than by '=', 'in' and startsWith()", between);
            case RqlComparison or RqlIn or RqlBetween:
                throw Unsupported("a where clause on fields " + NeedsIndex, where);
            case RqlMethodCall call:
                return Call(call);
            case RqlLogical logical:
                return Chain(logical);
            default:
                throw Unsupported("'not' " + NeedsIndex, where);
        }
    }

    private IdCondition Call(RqlMethodCall call)
    {
        if (!call.Is("startsWith") || call.Path.Count > 0 || call.Arguments is not [var subject, var beginning] || !IsId(subject))
            throw Unsupported($"the method {call.Name}() in a where clause {NeedsIndex}", call);

        var prefix = IdsOf(beginning, isList: false);
        return prefix is [var text] ? IdCondition.BeginningWith(text) : IdCondition.Of([]);
    }

    private IdCondition Chain(RqlLogical logical)
    {
        var conditions = logical.Operands.Select(Condition).ToList();
        if (logical.Operator == RqlLogicalOperator.And)
        {
            // "true and x" is how clients write a condition that they began with nothing.
            var narrowing = conditions.Where(condition => condition.Kind != QuerySourceKind.Everything).ToList();
            return narrowing.Count switch
            {
                0 => IdCondition.Everything,
                1 => narrowing[0],
                _ => throw Unsupported("more than one condition on id() joined by 'and'", logical),
            };
        }

        if (conditions.Exists(condition => condition.Kind == QuerySourceKind.Everything))
            return IdCondition.Everything;
        if (conditions.TrueForAll(condition => condition.Kind == QuerySourceKind.Ids))
            return IdCondition.Of([.. conditions.SelectMany(condition => condition.Ids)]);
        throw Unsupported("startsWith(id(), ...) joined with another condition by 'or'", logical);
    }

    /// <summary>The ids that a value says: none for null, each of an array where a list can stand.</summary>
    private IReadOnlyList<string> IdsOf(RqlExpression value, bool isList)
    {
        switch (value)
        {
            case RqlString text:
                return [text.Value];
            case RqlNumber number:
                return [number.Text];
            case RqlNull:
                return [];
            case RqlParameter parameter:
                var given = ValueOf(parameter);
                if (isList && given.ValueKind == JsonValueKind.Array)
                    return [.. given.EnumerateArray().SelectMany(element => IdOf(element, parameter))];
                return IdOf(given, parameter);
            default:
                throw Unsupported("comparing id() with anything but a text or a parameter", value);
        }
    }

    private static IReadOnlyList<string> IdOf(JsonElement value, RqlParameter parameter) =>
        value.ValueKind switch
        {
            JsonValueKind.String => [value.GetString()!],
            JsonValueKind.Number => [value.GetRawText()],
            JsonValueKind.Null => [],
            _ => throw new QueryParameterException(
                $"An id is a text, and ${parameter.Name} has {RqlParameters.Describe(value)}",
                parameter.At
            ),
        };
}

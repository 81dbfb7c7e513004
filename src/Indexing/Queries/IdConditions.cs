using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>Reads conditions that speak of ids alone in a way that needs no index.</summary>
internal sealed class IdConditions(QueryScope scope)
{
    /// <summary>What the condition leaves; null when it takes an index.</summary>
    public IdCondition? Read(RqlExpression where)
    {
        switch (where)
        {
            case RqlBoolean { Value: var everything }:
                return everything ? IdCondition.Everything : IdCondition.Of([]);
            case RqlComparison { Operator: RqlComparisonOperator.Equal } comparison when scope.IsId(comparison.Left):
                return IdsOf(comparison.Right, isList: false) is { } id ? IdCondition.Of(id) : null;
            case RqlIn { All: false } list when scope.IsId(list.Operand):
                return In(list);
            case RqlMethodCall { Path.Count: 0, Arguments: [var subject, var beginning] } call
                when call.Is("startsWith") && scope.IsId(subject):
                var prefix = IdsOf(beginning, isList: false);
                return prefix is null ? null
                    : prefix is [var text] ? IdCondition.BeginningWith(text)
                    : IdCondition.Of([]);
            case RqlLogical logical:
                return Chain(logical);
            default:
                return null;
        }
    }

    private IdCondition? In(RqlIn list)
    {
        var ids = new List<string>();
        foreach (var value in list.Values)
        {
            if (IdsOf(value, isList: true) is not { } some)
                return null;
            ids.AddRange(some);
        }
        return IdCondition.Of(ids);
    }

    private IdCondition? Chain(RqlLogical logical)
    {
        var conditions = new List<IdCondition>();
        foreach (var operand in logical.Operands)
        {
            if (Read(operand) is not { } condition)
                return null;
            conditions.Add(condition);
        }
        if (logical.Operator == RqlLogicalOperator.And)
        {
            // "true and x" is how clients write a condition that they began with nothing.
            var narrowing = conditions.Where(condition => condition.Kind != QuerySourceKind.Everything).ToList();
            return narrowing.Count switch
            {
                0 => IdCondition.Everything,
                1 => narrowing[0],
                _ => null,
            };
        }

        if (conditions.Exists(condition => condition.Kind == QuerySourceKind.Everything))
            return IdCondition.Everything;
        return conditions.TrueForAll(condition => condition.Kind == QuerySourceKind.Ids)
            ? IdCondition.Of([.. conditions.SelectMany(condition => condition.Ids)])
            : null;
    }

    /// <summary>The ids that a value says: none for null, each of an array where a list can stand; null for what is no value. True and
    /// false are texts, as they are in fields.</summary>
    private string[]? IdsOf(RqlExpression value, bool isList) =>
        value switch
        {
            RqlParameter parameter when isList => [.. QueryValue.ListOf([parameter], scope).SelectMany(IdsOf)],
            RqlString or RqlNumber or RqlBoolean or RqlNull or RqlParameter => IdsOf(QueryValue.Of(value, scope)),
            _ => null,
        };

    private static string[] IdsOf(QueryValue value) => value.Kind == QueryValueKind.Null ? [] : [value.Text];
}

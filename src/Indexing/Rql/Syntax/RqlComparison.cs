namespace Jackdaw.Indexing.Rql.Syntax;

internal sealed record RqlComparison(RqlComparisonOperator Operator, RqlExpression Left, RqlExpression Right) : RqlExpression
{
    public override bool IsCondition => true;
}

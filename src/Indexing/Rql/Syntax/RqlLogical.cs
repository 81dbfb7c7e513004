namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A chain of two or more conditions joined by the same word. A chain is one node, so that a long one is not a deep
/// tree.</summary>
internal sealed record RqlLogical(RqlLogicalOperator Operator, RqlList<RqlExpression> Operands) : RqlExpression
{
    public override bool IsCondition => true;
}

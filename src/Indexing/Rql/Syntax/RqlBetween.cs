namespace Jackdaw.Indexing.Rql.Syntax;

internal sealed record RqlBetween(RqlExpression Operand, RqlExpression Low, RqlExpression High) : RqlExpression
{
    public override bool IsCondition => true;
}

namespace Jackdaw.Indexing.Rql.Syntax;

internal sealed record RqlNot(RqlExpression Operand) : RqlExpression
{
    public override bool IsCondition => true;
}

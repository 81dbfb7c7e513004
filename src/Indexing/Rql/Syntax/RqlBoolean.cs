namespace Jackdaw.Indexing.Rql.Syntax;

internal sealed record RqlBoolean(bool Value) : RqlExpression
{
    public override bool IsCondition => true;
}

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>x in (…)</c> or, with <paramref name="All"/>, <c>x all in (…)</c>.</summary>
internal sealed record RqlIn(RqlExpression Operand, RqlList<RqlExpression> Values, bool All) : RqlExpression
{
    public override bool IsCondition => true;
}

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A call.</summary>
/// <param name="Name">The name, dots included (<c>spatial.within</c>), as written; names are compared without case.</param>
/// <param name="Path">What is read of the answer (<c>cmpxchg($key).name</c>), mostly nothing.</param>
internal sealed record RqlMethodCall(string Name, RqlList<RqlExpression> Arguments, RqlList<RqlPathSegment> Path) : RqlExpression
{
    public override bool IsCondition => true;

    public bool Is(string name) => string.Equals(Name, name, StringComparison.OrdinalIgnoreCase);
}

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>[1, 2, 3]</c>.</summary>
internal sealed record RqlArray(RqlList<RqlExpression> Items) : RqlExpression;

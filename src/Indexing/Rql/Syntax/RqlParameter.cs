namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>$name</c>, the dollar sign not kept.</summary>
internal sealed record RqlParameter(string Name) : RqlExpression;

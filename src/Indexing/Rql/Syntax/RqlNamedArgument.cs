namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>An argument with a name of its own: <c>facet(product, sum(total) as t)</c>.</summary>
internal sealed record RqlNamedArgument(RqlExpression Expression, string Name) : RqlExpression;

namespace Jackdaw.Indexing.Rql.Syntax;

internal sealed record RqlNull : RqlExpression;

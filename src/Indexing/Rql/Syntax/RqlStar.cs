namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>*</c>: everything, as in <c>select distinct *</c>.</summary>
internal sealed record RqlStar : RqlExpression;

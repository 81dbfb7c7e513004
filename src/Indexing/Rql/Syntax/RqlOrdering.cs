namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>One key of <c>order by</c>: a field or a call such as <c>random()</c>.</summary>
internal sealed record RqlOrdering(RqlExpression Expression, RqlOrderingType As, bool Descending) : RqlNode;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>One document (or, with <c>[]</c>, each of several) that <c>load</c> brings in by name.</summary>
internal sealed record RqlLoad(RqlExpression Expression, string Alias, bool Each) : RqlNode;

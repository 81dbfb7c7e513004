namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>One item of a projection, and the name it is given, or null.</summary>
internal sealed record RqlSelectItem(RqlExpression Expression, string? Alias) : RqlNode;

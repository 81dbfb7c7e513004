namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A quoted text in a place where it can be a value. Where a call expects a field, it is that field's name.</summary>
internal sealed record RqlString(string Value) : RqlExpression;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>What stands before <c>from</c>: a function or a time-series query with a name.</summary>
/// <param name="Parameters">The text between the parentheses.</param>
/// <param name="Body">The body with its braces.</param>
internal abstract record RqlDeclaration(string Name, string Parameters, RqlScript Body) : RqlNode;

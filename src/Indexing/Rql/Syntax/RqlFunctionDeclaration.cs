namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>declare function name(a, b) { … }</c>: JavaScript.</summary>
internal sealed record RqlFunctionDeclaration(string Name, string Parameters, RqlScript Body) : RqlDeclaration(Name, Parameters, Body);

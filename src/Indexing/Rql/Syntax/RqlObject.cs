namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>{ … }</c>: a JavaScript object, kept as text.</summary>
internal sealed record RqlObject(RqlScript Script) : RqlExpression;

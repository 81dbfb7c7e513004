namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A number, its text as written: no digit is lost.</summary>
internal sealed record RqlNumber(string Text) : RqlExpression;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>Text in another language, as it stands in the query, its outer braces included.</summary>
internal sealed record RqlScript(string Text) : RqlNode;

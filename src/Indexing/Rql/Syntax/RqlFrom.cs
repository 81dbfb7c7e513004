namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>Where the query reads.</summary>
/// <param name="Name">The collection's or index's name; <c>@all_docs</c> for all documents.</param>
/// <param name="Alias">The name by which fields may be prefixed, or null.</param>
/// <param name="SourceFilter">The condition in parentheses after the name, as subscriptions have it: <c>from Users (Revisions =
/// true)</c>.</param>
internal sealed record RqlFrom(RqlSourceKind Kind, string Name, string? Alias, RqlExpression? SourceFilter) : RqlNode
{
    public const string AllDocumentsName = "@all_docs";
}

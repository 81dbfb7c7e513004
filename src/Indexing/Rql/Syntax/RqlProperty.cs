namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A property by name; whether the text quoted it is not kept.</summary>
internal sealed record RqlProperty(string Name) : RqlPathSegment;

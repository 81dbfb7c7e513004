namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A step of a field's path.</summary>
internal abstract record RqlPathSegment;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>[]</c>: each element of an array.</summary>
internal sealed record RqlEachElement : RqlPathSegment;

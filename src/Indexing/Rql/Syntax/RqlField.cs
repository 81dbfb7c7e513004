namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>The path of a field. The first segment is a property, and may be the alias of the source.</summary>
internal sealed record RqlField(RqlList<RqlPathSegment> Path) : RqlExpression;

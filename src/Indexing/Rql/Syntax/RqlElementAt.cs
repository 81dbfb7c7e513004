namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>[2]</c>: one element of an array, counted from 0.</summary>
internal sealed record RqlElementAt(int Index) : RqlPathSegment;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>The projection. An <see cref="RqlObject"/> is always its only item.</summary>
internal sealed record RqlSelect(bool Distinct, RqlList<RqlSelectItem> Items) : RqlNode;

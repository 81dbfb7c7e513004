namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>What collection expressions of <see cref="RqlList{T}"/> call.</summary>
internal static class RqlList
{
    public static RqlList<T> Create<T>(ReadOnlySpan<T> items) => items.IsEmpty ? RqlList<T>.Empty : new RqlList<T>(items.ToArray());
}

using Jackdaw.Search.Columns;

namespace Jackdaw.Search.Ordering;

/// <summary>A place in an order: only what stands behind it is wanted.</summary>
/// <param name="Coarse">Of the first key.</param>
/// <param name="Cells">Of all keys.</param>
/// <param name="Entry">The entry's id.</param>
internal sealed record OrderBound(ulong Coarse, ColumnCell[] Cells, long Entry);

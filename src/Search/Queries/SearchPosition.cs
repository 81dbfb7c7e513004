namespace Jackdaw.Search.Queries;

/// <summary>A place in an order: what an entry compared as, and its id. Opaque; made by <see cref="SearchResult"/>.</summary>
/// <param name="Keys">The order keys of the entry as the order compares them.</param>
/// <param name="Entry">The entry's id.</param>
public sealed record SearchPosition(ReadOnlyMemory<byte> Keys, long Entry);

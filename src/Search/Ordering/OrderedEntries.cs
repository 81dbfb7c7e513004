using Jackdaw.Search.Matching;

namespace Jackdaw.Search.Ordering;

/// <summary>Matches in their order, as they are asked for.</summary>
internal abstract class OrderedEntries : IDisposable
{
    /// <summary>Fills in the next entries; returns how many, 0 at the end.</summary>
    public abstract int Fill(Span<long> entries);

    /// <summary>Says how the order is made, for people.</summary>
    public abstract void Describe(MatchDescription description);

    /// <inheritdoc/>
    public abstract void Dispose();
}

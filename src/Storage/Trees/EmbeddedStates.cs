using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Where a B+tree's values hold the states of other structures: so many tree states of 64 bytes, one behind the other, from an offset on.
/// A shorter value holds none. The states' bytes belong to the engine, all others to whoever made the tree. Layout:
/// docs/storage-format.md, "Embedded states".
/// </summary>
public readonly record struct EmbeddedStates
{
    /// <summary>States in one value at most.</summary>
    public const int MaxCount = 8;

    /// <summary>Bytes of a value before the first state at most.</summary>
    public const int MaxOffset = 1024;

    /// <summary>A structure of the catalog may embed others, these may too, and so on, this many times at most.</summary>
    public const int MaxNesting = 4;

    internal const int Layout = 1;

    /// <param name="offset">Bytes of a value before the first state: 0 to <see cref="MaxOffset"/>.</param>
    /// <param name="count">States in each value: 1 to <see cref="MaxCount"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">For other numbers.</exception>
    public EmbeddedStates(int offset, int count = 1)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, MaxOffset);
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, MaxCount);
        Offset = offset;
        Count = count;
    }

    /// <summary>Bytes of a value before the first state.</summary>
    public int Offset { get; }

    /// <summary>States in each value; 0: the tree embeds nothing.</summary>
    public int Count { get; }

    /// <summary>Bytes of all states of a value.</summary>
    public int Bytes => Count * TreeState.Size;

    /// <summary>Does a value of so many bytes hold states?</summary>
    public bool AreIn(int valueBytes) => valueBytes >= Offset + Bytes;

    internal static EmbeddedStates Of(in TreeState state)
    {
        if (state.EmbeddedCount == 0)
            return default;
        Invariant.Require(state is { EmbeddedCount: <= MaxCount, EmbeddedOffset: <= MaxOffset, EmbeddedLayout: Layout });
        return new EmbeddedStates(state.EmbeddedOffset, state.EmbeddedCount);
    }

    internal int OffsetOf(int ordinal)
    {
        Invariant.Require((uint)ordinal < (uint)Count, "a value has no embedded state of that number");
        return Offset + ordinal * TreeState.Size;
    }

    /// <summary>A state of a value that holds states.</summary>
    internal TreeState Read(ReadOnlySpan<byte> value, int ordinal) =>
        Unsafe.ReadUnaligned<TreeState>(in value.Slice(OffsetOf(ordinal), TreeState.Size)[0]);
}

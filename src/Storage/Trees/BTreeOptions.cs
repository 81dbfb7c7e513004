namespace Jackdaw.Storage.Trees;

/// <summary>What a B+tree is made with. Kept in its state; never changed afterwards.</summary>
public readonly record struct BTreeOptions
{
    /// <summary>
    /// Branches keep the number of entries below each child, so that <see cref="BTree.Rank"/>, <see cref="BTree.CountRange"/> and
    /// <see cref="BTreeCursor.SeekRank"/> need no walk. Costs 8 bytes a child, and at the end of a batch a visit to each branch below which
    /// entries came or went.
    /// </summary>
    public bool KeepsCounts { get; init; }

    /// <summary>Where in the tree's values the states of other structures lie; the default: nowhere.</summary>
    public EmbeddedStates Embeds { get; init; }

    internal static BTreeOptions Of(in TreeState state) =>
        new() { KeepsCounts = (state.Flags & TreeState.CountsFlag) != 0, Embeds = EmbeddedStates.Of(state) };

    internal void ApplyTo(ref TreeState state)
    {
        state.Flags = KeepsCounts ? TreeState.CountsFlag : (byte)0;
        state.EmbeddedCount = (byte)Embeds.Count;
        state.EmbeddedLayout = (byte)(Embeds.Count == 0 ? 0 : EmbeddedStates.Layout);
        state.EmbeddedOffset = (ushort)Embeds.Offset;
    }
}

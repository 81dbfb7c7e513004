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

    /// <summary>
    /// The offset in the tree's values of an unsigned number of 32 bits that branches add up beside the count, so that
    /// <see cref="BTree.SumBefore"/> and <see cref="BTree.CountAndSumRange"/> need no walk. A value that ends before it adds nothing. Only
    /// with <see cref="KeepsCounts"/>; costs 8 more bytes a child. Null: nothing is added up. At most
    /// <see cref="MaxSumOffset"/>, and outside of embedded states.
    /// </summary>
    public int? SumsAt { get; init; }

    /// <summary>The largest <see cref="SumsAt"/>.</summary>
    public const int MaxSumOffset = 1024;

    /// <summary>Where in the tree's values the states of other structures lie; the default: nowhere.</summary>
    public EmbeddedStates Embeds { get; init; }

    internal static BTreeOptions Of(in TreeState state) =>
        new()
        {
            KeepsCounts = (state.Flags & TreeState.CountsFlag) != 0,
            SumsAt = (state.Flags & TreeState.SumsFlag) != 0 ? state.SumOffset : null,
            Embeds = EmbeddedStates.Of(state),
        };

    internal void ApplyTo(ref TreeState state)
    {
        Invariant.Require(SumsAt is null || (KeepsCounts && ProblemOfSums(SumsAt.Value, Embeds.Count, Embeds.Offset) is null));
        state.Flags = (byte)((KeepsCounts ? TreeState.CountsFlag : 0) | (SumsAt is null ? 0 : TreeState.SumsFlag));
        state.SumOffset = (ushort)(SumsAt ?? 0);
        state.EmbeddedCount = (byte)Embeds.Count;
        state.EmbeddedLayout = (byte)(Embeds.Count == 0 ? 0 : EmbeddedStates.Layout);
        state.EmbeddedOffset = (ushort)Embeds.Offset;
    }

    /// <summary>Says why no number can be added up there; null when it can.</summary>
    internal static string? ProblemOfSums(int offset, int embeddedCount, int embeddedOffset)
    {
        if (offset is < 0 or > MaxSumOffset)
            return $"adds up numbers at {offset}";
        bool isInStates =
            embeddedCount != 0 && offset + sizeof(uint) > embeddedOffset && offset < embeddedOffset + embeddedCount * TreeState.Size;
        return isInStates ? $"adds up numbers at {offset}, within embedded states" : null;
    }
}

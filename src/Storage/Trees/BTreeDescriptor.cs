using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>What a B+tree can do.</summary>
internal sealed class BTreeDescriptor : StructureDescriptor
{
    public override StructureKind Kind => StructureKind.BTree;

    public override Structure Make(PageTransaction transaction, string? name) => new BTree(transaction, name);

    public override unsafe long UsedBytes(in TreeState state, byte* page) =>
        ((PageHeader*)page)->Kind == PageKind.Overflow ? ((PageHeader*)page)->PayloadBytes : new TreePage(page).UsedBytes;

    public override StructureCopy BeginCopy(Structure source, CopyTarget target) => new BTreeCopy((BTree)source, target);

    protected override string? OwnProblemOf(in TreeState state)
    {
        if ((state.Flags & ~(TreeState.CountsFlag | TreeState.SumsFlag)) != 0 || state.ValueSize != 0)
            return $"its state has flags {state.Flags:X2} and values of {state.ValueSize} bytes";
        if (ProblemOfSums(state) is { } problem)
            return $"its state {problem}";
        bool isSound =
            state.EmbeddedCount == 0
                ? state is { EmbeddedLayout: 0, EmbeddedOffset: 0 }
                : state is { EmbeddedCount: <= EmbeddedStates.MaxCount, EmbeddedOffset: <= EmbeddedStates.MaxOffset }
                    && state.EmbeddedLayout == EmbeddedStates.Layout;
        return isSound
            ? null
            : $"its state embeds {state.EmbeddedCount} states of layout {state.EmbeddedLayout} at {state.EmbeddedOffset} in a value";
    }

    private static string? ProblemOfSums(in TreeState state)
    {
        if ((state.Flags & TreeState.SumsFlag) == 0)
            return state.SumOffset == 0 ? null : $"names the offset {state.SumOffset} of a sum that it does not keep";
        if ((state.Flags & TreeState.CountsFlag) == 0)
            return "keeps sums without counts";
        return BTreeOptions.ProblemOfSums(state.SumOffset, state.EmbeddedCount, state.EmbeddedOffset);
    }
}

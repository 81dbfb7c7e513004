using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>What a fixed-size tree can do.</summary>
internal sealed class FixedSizeTreeDescriptor : StructureDescriptor
{
    public override StructureKind Kind => StructureKind.FixedSizeTree;

    public override Structure Make(PageTransaction transaction, string? name) => new FixedSizeTree(transaction, name);

    public override unsafe long UsedBytes(in TreeState state, byte* page) => NodeBytes(page, state.ValueSize);

    public override StructureCopy BeginCopy(Structure source, CopyTarget target) => new FixedSizeTreeCopy((FixedSizeTree)source, target);

    internal static unsafe long NodeBytes(byte* page, int valueSize)
    {
        var header = (PageHeader*)page;
        return header->Count * (long)(sizeof(long) + (header->Kind == PageKind.FixedLeaf ? valueSize : FixedSizeNode.ChildSize));
    }

    protected override string? OwnProblemOf(in TreeState state) =>
        EmbedsNothing(state) && state.ValueSize is >= 0 and <= FixedSizeTree.MaxValueSize && state.OverflowPages == 0
            ? null
            : $"its state has flags {state.Flags:X2}, values of {state.ValueSize} bytes, {state.EmbeddedCount} embedded states and "
                + $"{state.OverflowPages} overflow pages";
}

using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>What a posting set can do.</summary>
internal sealed class PostingSetDescriptor : StructureDescriptor
{
    public override StructureKind Kind => StructureKind.PostingSet;

    public override Structure Make(PageTransaction transaction, string? name) => new PostingSet(transaction, name);

    public override unsafe long UsedBytes(in TreeState state, byte* page) =>
        ((PageHeader*)page)->Kind == PageKind.Postings
            ? ((PageHeader*)page)->PayloadBytes
            : FixedSizeTreeDescriptor.NodeBytes(page, sizeof(long));

    public override StructureCopy BeginCopy(Structure source, CopyTarget target) => new PostingSetCopy((PostingSet)source, target);

    protected override string? OwnProblemOf(in TreeState state) =>
        EmbedsNothing(state) && state.ValueSize is 0 or sizeof(long)
            ? null
            : $"its state has flags {state.Flags:X2}, values of {state.ValueSize} bytes and {state.EmbeddedCount} embedded states";
}

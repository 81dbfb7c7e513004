using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// What one kind of structure can do: everything that the catalog, embedded structures, the check and the compaction need to know of it.
/// A kind is known when it is in the list here, and nowhere else.
/// </summary>
internal abstract class StructureDescriptor
{
    private static readonly StructureDescriptor[] All = [new BTreeDescriptor(), new FixedSizeTreeDescriptor(), new PostingSetDescriptor()];

    public abstract StructureKind Kind { get; }

    /// <summary>The descriptor of a kind that is known to be one.</summary>
    public static StructureDescriptor Of(StructureKind kind)
    {
        var descriptor = Find(kind);
        Invariant.Require(descriptor is not null, "there is no such kind of structure");
        return descriptor;
    }

    /// <summary>Null for what is no kind, as a damaged state may say.</summary>
    public static StructureDescriptor? Find(StructureKind kind)
    {
        foreach (var descriptor in All)
        {
            if (descriptor.Kind == kind)
                return descriptor;
        }
        return null;
    }

    /// <summary>Opens: makes the object, whose state the caller sets.</summary>
    /// <param name="transaction">In which it lives.</param>
    /// <param name="name">In the catalog; null for one that is embedded.</param>
    public abstract Structure Make(PageTransaction transaction, string? name);

    /// <summary>Checks: says what makes a state impossible; null when nothing does.</summary>
    public string? ProblemOf(in TreeState state)
    {
        var bytes = MemoryMarshal.AsBytes(new ReadOnlySpan<TreeState>(in state));
        if (bytes[TreeState.ReservedOffset..].ContainsAnyExcept((byte)0))
            return "its state has bytes that should be zeros";
        if (state.EntryCount < 0 || state.LeafPages < 0 || state.BranchPages < 0 || state.OverflowPages < 0)
            return "its state counts less than nothing";
        if (state.RootPage == 0 && (state.Depth != 0 || state.EntryCount != 0 || PagesOf(state) != 0))
            return $"its state has no root, but {state.EntryCount} entries, {PagesOf(state)} pages and depth {state.Depth}";
        return OwnProblemOf(state);
    }

    /// <summary>Counts: pages that the structure owns.</summary>
    public static long PagesOf(in TreeState state) => state.LeafPages + state.BranchPages + state.OverflowPages;

    /// <summary>Counts: bytes of one of the structure's pages (or of its run) that hold something.</summary>
    public abstract unsafe long UsedBytes(in TreeState state, byte* page);

    /// <summary>Checks: visits all pages and reports every broken rule.</summary>
    public void Check(Structure structure, IPageVisitor visitor)
    {
        if (ProblemOf(structure.State) is { } problem)
            visitor.Report(structure.State.RootPage, $"'{structure.Name}': {problem}");
        else
            structure.Check(visitor);
    }

    /// <summary>Drops: frees about so many pages, from the right; true when nothing is left.</summary>
    public virtual bool DropSome(Structure structure, ref long pages) => structure.DropSome(ref pages);

    /// <summary>Compacts: begins to copy the structure.</summary>
    public abstract StructureCopy BeginCopy(Structure source, CopyTarget target);

    /// <summary>What is impossible for this kind.</summary>
    protected abstract string? OwnProblemOf(in TreeState state);

    protected static bool EmbedsNothing(in TreeState state) =>
        state is { Flags: 0, EmbeddedCount: 0, EmbeddedLayout: 0, EmbeddedOffset: 0, SumOffset: 0 };
}

using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Checking: trusts nothing that a page says.</summary>
internal sealed unsafe partial class FixedSizeTree
{
    /// <inheritdoc/>
    internal override void Check(IPageVisitor visitor)
    {
        var seen = default(Totals);
        if (State.RootPage != 0)
        {
            if (State.Depth is 0 or > FixedSizePath.MaxDepth || State.ValueSize is < 0 or > MaxValueSize)
            {
                visitor.Report(State.RootPage, $"'{Name}': depth {State.Depth} or value size {State.ValueSize} is impossible");
                return;
            }
            CheckUnder(visitor, State.RootPage, level: 0, long.MinValue, long.MaxValue, ref seen);
        }
        if (seen.Entries != State.EntryCount || seen.Leaves != State.LeafPages || seen.Branches != State.BranchPages)
            visitor.Report(
                State.RootPage,
                $"'{Name}': counted {seen.Entries} entries on {seen.Leaves} leaves and {seen.Branches} branches, "
                    + $"the catalog says {State.EntryCount}, {State.LeafPages} and {State.BranchPages}"
            );
    }

    /// <summary>All keys of the page lie in [<paramref name="low"/>, <paramref name="high"/>], the bounds that the pages above
    /// give.</summary>
    private void CheckUnder(IPageVisitor visitor, long number, int level, long low, long high, ref Totals seen)
    {
        if (!visitor.Visit(number, 1))
            return;
        bool leaf = level == State.Depth - 1;
        var node = new FixedSizeNode(Transaction.ReadPage(number), leaf ? ValueSize : FixedSizeNode.ChildSize);
        PageKind expected = leaf ? PageKind.FixedLeaf : PageKind.FixedBranch;
        if (node.Header->Kind != expected || node.Number != number || node.Count > node.Capacity)
        {
            visitor.Report(
                number,
                $"'{Name}': should be a {expected} of at most {node.Capacity} "
                    + $"entries, is page {node.Number}, {node.Header->Kind}, {node.Count}"
            );
            return;
        }
        if (
            node.Count
            < (
                level > 0 ? 1
                : leaf ? 0
                : 2
            )
        )
            visitor.Report(number, $"'{Name}': holds only {node.Count} entries");
        int first = leaf ? 0 : 1; // a branch's first key bounds nothing
        for (int i = first; i < node.Count; i++)
            if (node.Keys[i] < low || node.Keys[i] > high || (i > first && node.Keys[i] <= node.Keys[i - 1]))
                visitor.Report(number, $"'{Name}': key {node.Keys[i]} at {i} is out of order");
        if (leaf)
        {
            seen.Leaves++;
            seen.Entries += node.Count;
            return;
        }
        seen.Branches++;
        for (int i = 0; i < node.Count; i++)
            CheckUnder(
                visitor,
                node.Child(i),
                level + 1,
                i == 0 ? low : node.Keys[i],
                i + 1 < node.Count ? node.Keys[i + 1] - 1 : high,
                ref seen
            );
    }

    private struct Totals
    {
        public long Entries;
        public long Leaves;
        public long Branches;
    }
}

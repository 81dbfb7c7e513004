namespace Jackdaw.Storage.Trees;

/// <summary>
/// Counts in branches, for trees made with <see cref="BTreeOptions.KeepsCounts"/>. A modification that knows by how much its leaf changes
/// adds that to the leaf's count and marks the counts above it. Any other modification marks the leaf's count, too. The end of the batch
/// brings the marked counts up to date, each branch once. A mark in one branch means marks in all branches above it.
/// </summary>
public sealed unsafe partial class BTree
{
    /// <summary>Some count is marked as out of date.</summary>
    private bool _hasStaleCounts;

    /// <summary>Was the tree made to know ranks? See <see cref="BTreeOptions.KeepsCounts"/>.</summary>
    public bool KeepsCounts => (State.Flags & TreeState.CountsFlag) != 0;

    /// <summary>Bytes of a branch's value.</summary>
    internal int ChildBytes =>
        (State.Flags & (TreeState.CountsFlag | TreeState.SumsFlag)) switch
        {
            0 => sizeof(long),
            TreeState.CountsFlag => 2 * sizeof(long),
            _ => 3 * sizeof(long),
        };

    /// <summary>
    /// Returns how many entries have keys before <paramref name="key"/> (any bytes, also none). Reads one page a level. Only for trees
    /// that keep counts. To find the entry of a rank: <see cref="BTreeCursor.SeekRank"/>.
    /// </summary>
    public long Rank(ReadOnlySpan<byte> key)
    {
        RequireCounts();
        if (State.RootPage == 0)
            return 0;
        long before = 0;
        long pageNumber = State.RootPage;
        for (int depth = State.Depth; depth > 1; depth--)
        {
            var branch = ReadNode(pageNumber, isLeaf: false);
            int child = branch.FindChild(key);
            for (int i = 0; i < child; i++)
                before += *branch.CountBelow(i);
            pageNumber = branch.Child(child);
        }
        return before + ReadNode(pageNumber, isLeaf: true).LowerBound(key, 0, out _);
    }

    /// <summary>Returns how many keys are not before <paramref name="from"/> and before <paramref name="to"/>: 0 where the bounds are the
    /// wrong way round. Costs two look-ups, however long the range. Only for trees that keep counts.</summary>
    public long CountRange(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => Math.Max(0, Rank(to) - Rank(from));

    /// <summary>The tree keeps counts, and they are up to date.</summary>
    internal void RequireCounts()
    {
        Invariant.Require(KeepsCounts, "the tree was made without counts");
        if (_hasStaleCounts)
            UpdateCounts();
    }

    /// <summary>Marks the counts on the path to its leaf: the leaf changes by an amount that is not known yet.</summary>
    private void MarkPathStale() => MarkPathStale(State.Depth - 2);

    /// <summary>The same for the counts on a level and all above it.</summary>
    private void MarkPathStale(int lowestLevel)
    {
        for (int level = lowestLevel; level >= 0; level--)
        {
            if (*new TreePage(_path[level].Pointer).CountBelow(_path[level].Index) < 0)
                return;
            MarkStale(ModifyPath(level), _path[level].Index);
        }
    }

    /// <summary>
    /// Adds to the count and the sum of the path's leaf. In a large tree most of a batch's leaves get one entry each. Counting them at the
    /// end of the batch would read each of them once more, after the processor's caches have lost them.
    /// </summary>
    private void AddToPath(int entries, long sum)
    {
        int level = State.Depth - 2;
        if (level < 0 || (entries == 0 && sum == 0))
            return;
        int index = _path[level].Index;
        if (*new TreePage(_path[level].Pointer).CountBelow(index) < 0)
            return;
        var branch = ModifyPath(level);
        if (Transaction.Planted != PlantedFault.ForgottenCount)
            *branch.CountBelow(index) += entries;
        if (KeepsSums && Transaction.Planted != PlantedFault.ForgottenSum)
            *branch.SumBelow(index) += sum;
        MarkPathStale(level - 1);
    }

    private void MarkStale(TreePage branch, int index)
    {
        *branch.CountBelow(index) |= TreePage.StaleCount;
        _hasStaleCounts = true;
    }

    /// <summary>Fills a branch's value. Its count, where there is one, is marked.</summary>
    private void WriteChild(byte* room, long pageNumber)
    {
        *(long*)room = pageNumber;
        if (!KeepsCounts)
            return;
        *(long*)(room + sizeof(long)) = TreePage.StaleCount;
        if (KeepsSums)
            *(long*)(room + 2 * sizeof(long)) = 0;
        _hasStaleCounts = true;
    }

    private void UpdateCounts()
    {
        Invariant.Require(Transaction.IsWritable);
        if (State.Depth > 1)
            Recount(State.RootPage, State.Depth);
        _hasStaleCounts = false;
        // An insertion at the edge takes no path and would mark nothing.
        _edgeLeaf = null;
    }

    // Recursion as deep as the tree: at most TreePath.MaxDepth.
    private (long Entries, long Sum) Recount(long pageNumber, int depth)
    {
        var branch = ReadNode(pageNumber, isLeaf: false);
        long entries = 0;
        long sum = 0;
        for (int i = 0; i < branch.Count; i++)
        {
            if (*branch.CountBelow(i) < 0)
            {
                if (depth == 2)
                    FetchNextStale(branch, i + 1);
                var below = depth == 2 ? CountLeaf(ReadNode(branch.Child(i), isLeaf: true)) : Recount(branch.Child(i), depth - 1);
                branch = new TreePage(Transaction.ModifyPage(pageNumber));
                if (Transaction.Planted == PlantedFault.StaleCount && depth == 2)
                    *branch.CountBelow(i) &= ~TreePage.StaleCount;
                else
                    *branch.CountBelow(i) = below.Entries;
                if (KeepsSums)
                    *branch.SumBelow(i) = below.Sum;
            }
            entries += *branch.CountBelow(i);
            if (KeepsSums)
                sum += *branch.SumBelow(i);
        }
        return (entries, sum);
    }

    /// <summary>Asks for the next leaf that is counted: after a large batch its lines have left the processor's caches.</summary>
    private void FetchNextStale(TreePage branch, int from)
    {
        if (!KeepsSums)
            return;
        for (int i = from; i < branch.Count; i++)
        {
            if (*branch.CountBelow(i) >= 0)
                continue;
            CacheLines.FetchPage(Transaction.ReadPage(branch.Child(i)));
            return;
        }
    }

    private (long Entries, long Sum) CountLeaf(TreePage leaf) => (leaf.Count, KeepsSums ? SumOfLeaf(leaf, 0, leaf.Count) : 0);

    /// <summary>What a commit relies on: the root's counts add up, and none is marked.</summary>
    private void RequireSumOfCounts()
    {
        if (State.Depth <= 1 || Transaction.Planted == PlantedFault.StaleCount)
            return;
        var root = ReadNode(State.RootPage, isLeaf: false);
        long sum = 0;
        for (int i = 0; i < root.Count; i++)
        {
            Invariant.Require(*root.CountBelow(i) >= 0);
            sum += *root.CountBelow(i);
            if (KeepsSums)
                Invariant.Require((ulong)*root.SumBelow(i) <= (ulong)*root.CountBelow(i) * uint.MaxValue, "a tree's sums are impossible");
        }
        Invariant.Require(sum == State.EntryCount, "a tree's counts do not add up to its entries");
    }
}

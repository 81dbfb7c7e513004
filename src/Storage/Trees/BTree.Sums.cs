using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Sums in branches, for trees made with <see cref="BTreeOptions.SumsAt"/>. A sum lies beside its count, and the count's mark is the mark
/// of both.
/// </summary>
public sealed unsafe partial class BTree
{
    /// <summary>By how much the modification under way changes the sum of its leaf, if <see cref="_knowsSumChange"/>.</summary>
    private long _sumChange;

    /// <summary>False for a value that the caller fills in later.</summary>
    private bool _knowsSumChange;

    /// <summary>Does the tree add up a number of its values? See <see cref="BTreeOptions.SumsAt"/>.</summary>
    public bool KeepsSums => (State.Flags & TreeState.SumsFlag) != 0;

    /// <summary>
    /// Returns the sum of the numbers in the values whose keys are before <paramref name="key"/> (any bytes, also none). Reads one page a
    /// level, and in one leaf the overflow runs before the key or behind it. Only for trees that keep sums.
    /// </summary>
    public long SumBefore(ReadOnlySpan<byte> key) => Before(key).Sum;

    /// <summary>Returns how many keys are not before <paramref name="from"/> and before <paramref name="to"/>, and the sum of the numbers
    /// in their values: 0 and 0 where the bounds are the wrong way round. Costs two look-ups, however long the range. Only for trees
    /// that keep sums.</summary>
    public (long Entries, long Sum) CountAndSumRange(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        var before = Before(from);
        var upTo = Before(to);
        return (Math.Max(0, upTo.Entries - before.Entries), Math.Max(0, upTo.Sum - before.Sum));
    }

    /// <summary>Returns the sum of the numbers in all values. Reads one page. Only for trees that keep sums.</summary>
    public long Sum()
    {
        RequireSums();
        if (State.RootPage == 0)
            return 0;
        var root = ReadNode(State.RootPage, isLeaf: State.Depth == 1);
        if (State.Depth == 1)
            return SumOfLeaf(root, 0, root.Count);
        long sum = 0;
        for (int i = 0; i < root.Count; i++)
            sum += *root.SumBelow(i);
        return sum;
    }

    /// <summary>The number that is added up; 0 in a value that ends before it.</summary>
    internal uint SumIn(ReadOnlySpan<byte> value) =>
        value.Length < State.SumOffset + sizeof(uint) ? 0 : Unsafe.ReadUnaligned<uint>(in value[State.SumOffset]);

    /// <summary>Notes by how much the sum changes when the value is put in the located place.</summary>
    private void NoteSumChange(ReadOnlySpan<byte> value)
    {
        long before = _locatedExactly ? SumIn(ReadValue(new TreePage(_located.Pointer), _located.Index)) : 0;
        _sumChange = SumIn(value) - before;
        _knowsSumChange = true;
    }

    /// <summary>What is before a key. Below the root the parent tells what a page has in all, so the shorter part of its cells is added up:
    /// in a large tree most of the time is spent waiting for them.</summary>
    private (long Entries, long Sum) Before(ReadOnlySpan<byte> key)
    {
        RequireSums();
        if (State.RootPage == 0)
            return default;
        (long Entries, long Sum) before = default;
        (long Entries, long Sum)? whole = null;
        long pageNumber = State.RootPage;
        for (int depth = State.Depth; depth > 1; depth--)
        {
            var branch = ReadNode(pageNumber, isLeaf: false);
            int child = branch.FindChild(key);
            var (entries, sum) =
                whole is { } all && child > branch.Count / 2
                    ? Difference(all, SumOfBranch(branch, child, branch.Count))
                    : SumOfBranch(branch, 0, child);
            before = (before.Entries + entries, before.Sum + sum);
            whole = (*branch.CountBelow(child), *branch.SumBelow(child));
            pageNumber = branch.Child(child);
        }
        var leaf = ReadNode(pageNumber, isLeaf: true);
        int at = leaf.LowerBound(key, 0, out _);
        long sumInLeaf = whole is { } ofLeaf && at > leaf.Count / 2 ? ofLeaf.Sum - SumOfLeaf(leaf, at, leaf.Count) : SumOfLeaf(leaf, 0, at);
        return (before.Entries + at, before.Sum + sumInLeaf);
    }

    private static (long Entries, long Sum) Difference((long Entries, long Sum) all, (long Entries, long Sum) part) =>
        (all.Entries - part.Entries, all.Sum - part.Sum);

    private static (long Entries, long Sum) SumOfBranch(TreePage branch, int from, int to)
    {
        long entries = 0;
        long sum = 0;
        for (int i = from; i < to; i++)
        {
            entries += *branch.CountBelow(i);
            sum += *branch.SumBelow(i);
        }
        return (entries, sum);
    }

    private void RequireSums()
    {
        Invariant.Require(KeepsSums, "the tree was made without sums");
        RequireCounts();
    }

    /// <summary>Adds up some entries of a leaf.</summary>
    private long SumOfLeaf(TreePage leaf, int from, int to)
    {
        long sum = 0;
        int offset = State.SumOffset;
        for (int i = from; i < to; i++)
        {
            // Once for each entry of each leaf that a batch has changed.
            if (leaf.IsOverflow(i))
                sum += SumIn(ReadValue(leaf, i));
            else if (leaf.ValuePointer(i, out int length) is var value && length >= offset + sizeof(uint))
                sum += Unsafe.ReadUnaligned<uint>(value + offset);
        }
        return sum;
    }
}

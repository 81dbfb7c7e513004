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
    /// level, and each overflow run before the key in one leaf. Only for trees that keep sums.
    /// </summary>
    public long SumBefore(ReadOnlySpan<byte> key)
    {
        RequireSums();
        if (State.RootPage == 0)
            return 0;
        long before = 0;
        long pageNumber = State.RootPage;
        for (int depth = State.Depth; depth > 1; depth--)
        {
            var branch = ReadNode(pageNumber, isLeaf: false);
            int child = branch.FindChild(key);
            for (int i = 0; i < child; i++)
                before += *branch.SumBelow(i);
            pageNumber = branch.Child(child);
        }
        var leaf = ReadNode(pageNumber, isLeaf: true);
        return before + SumOfLeaf(leaf, leaf.LowerBound(key, 0, out _));
    }

    /// <summary>Returns the sum of the numbers in the values whose keys are not before <paramref name="from"/> and before
    /// <paramref name="to"/>: 0 where the bounds are the wrong way round. Costs two look-ups, however long the range. Only for trees that
    /// keep sums.</summary>
    public long SumRange(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => Math.Max(0, SumBefore(to) - SumBefore(from));

    /// <summary>Returns the sum of the numbers in all values. Reads one page. Only for trees that keep sums.</summary>
    public long Sum()
    {
        RequireSums();
        if (State.RootPage == 0)
            return 0;
        var root = ReadNode(State.RootPage, isLeaf: State.Depth == 1);
        if (State.Depth == 1)
            return SumOfLeaf(root, root.Count);
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

    private void RequireSums()
    {
        Invariant.Require(KeepsSums, "the tree was made without sums");
        RequireCounts();
    }

    /// <summary>Adds up the first entries of a leaf.</summary>
    private long SumOfLeaf(TreePage leaf, int count)
    {
        long sum = 0;
        int offset = State.SumOffset;
        for (int i = 0; i < count; i++)
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

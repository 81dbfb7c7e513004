using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

public sealed unsafe partial class BTree
{
    /// <summary>A page that a deletion leaves with less looks for a neighbour to merge with.</summary>
    private const int MergeBelowBytes = TreePage.Capacity / 2;

    /// <summary>A merged page keeps some room, so that the next insertion does not split it again.</summary>
    private const int MergedAtMostBytes = TreePage.Capacity * 9 / 10;

    /// <summary>A page with less that cannot merge takes entries from a neighbour.</summary>
    private const int BalanceBelowBytes = TreePage.Capacity / 5;

    /// <summary>False when there is no such key.</summary>
    public bool Delete(ReadOnlySpan<byte> key)
    {
        RequireWritable();
        RequireKey(key);
        if (State.RootPage == 0)
            return false;
        Descend(key);
        if (!_locatedExactly)
            return false;
        if (State.EmbeddedCount != 0)
            DropEmbedded(key);
        if (KeepsCounts)
            MarkPathStale();
        int level = State.Depth - 1;
        var leaf = ModifyPath(level);
        int index = _path[level].Index;
        if (leaf.IsOverflow(index))
            FreeOverflow(Unsafe.ReadUnaligned<OverflowReference>(leaf.ValuePointer(index)));
        leaf.Remove(index);
        State.EntryCount--;
        IsChanged = true;
        Version++;
        if (leaf.UsedBytes < MergeBelowBytes && level > 0)
            RepairUpwards();
        return true;
    }

    /// <summary>Removes every entry and gives back every page.</summary>
    public void Clear()
    {
        RequireWritable();
        FreeAllPages();
    }

    /// <summary>From the leaf of the path up: frees empty pages, merges or balances sparse ones, takes levels off the top.</summary>
    private void RepairUpwards()
    {
        int level = State.Depth - 1;
        while (level > 0 && RepairLevel(level))
            level--;
        if (level == 0)
            ShrinkRoot();
    }

    /// <summary>True when the level above lost an entry and is to be looked at next.</summary>
    private bool RepairLevel(int level)
    {
        var page = new TreePage(_path[level].Pointer);
        bool isLeaf = level == State.Depth - 1;
        int position = _path[level - 1].Index;
        if (page.Count == 0)
        {
            FreeNode(_path[level].PageNumber, isLeaf);
            RemoveChild(level - 1, position);
            return true;
        }
        if (page.UsedBytes >= MergeBelowBytes)
            return false;
        var parent = new TreePage(_path[level - 1].Pointer);
        // Merging only saves space: a damaged neighbour does not keep an entry from being deleted.
        bool hasLeft = position > 0 && TryReadNode(parent.Child(position - 1), isLeaf, out _);
        if (hasLeft && TryMerge(level, position - 1, isLeaf))
            return true;
        bool hasRight = position < parent.Count - 1 && TryReadNode(parent.Child(position + 1), isLeaf, out _);
        if (hasRight && TryMerge(level, position, isLeaf))
            return true;
        if (page.UsedBytes < BalanceBelowBytes && (hasLeft || hasRight))
            BalanceNeighbours(level, hasLeft ? position - 1 : position, isLeaf);
        return false;
    }

    private void ShrinkRoot()
    {
        while (State.Depth > 1)
        {
            var root = ReadNode(State.RootPage, isLeaf: false);
            if (root.Count > 1)
                return;
            // It had two children at least, and one repair takes away no more than one.
            Invariant.Require(root.Count == 1);
            long below = root.Child(0);
            FreeNode(State.RootPage, isLeaf: false);
            State.RootPage = below;
            State.Depth--;
        }
    }

    private void RemoveChild(int level, int position)
    {
        var branch = ModifyPath(level);
        branch.Remove(position);
        if (position == 0 && branch.Count != 0)
            branch.DropFirstKey();
    }

    /// <summary>Merges the children at <paramref name="position"/> and after it into the first, if the result keeps some room.</summary>
    [SkipLocalsInit]
    private bool TryMerge(int level, int position, bool isLeaf)
    {
        var parent = new TreePage(_path[level - 1].Pointer);
        long leftPage = parent.Child(position);
        long rightPage = parent.Child(position + 1);
        var left = ReadNode(leftPage, isLeaf);
        var right = ReadNode(rightPage, isLeaf);
        // Without looking at keys: a shared prefix can only be as long as the shorter of the two, or grow by what the pages did not notice.
        if (left.UsedBytes + right.UsedBytes - Math.Max(left.PrefixLength, right.PrefixLength) > MergedAtMostBytes)
            return false;

        byte* copy = stackalloc byte[PageLayout.PageSize];
        Span<byte> separator = stackalloc byte[MaxKeyBytes];
        var list = new EntryList(stackalloc EntryReference[2 * EntryList.MaxOnOnePage]);
        Unsafe.CopyBlockUnaligned(copy, left.Pointer, PageLayout.PageSize);
        GatherNeighbours(ref list, new TreePage(copy), right, parent, position, separator);
        int prefixLength = list.SharedPrefixLength(0, list.Count, !isLeaf);
        if (list.UsedBytes(0, list.Count, !isLeaf, prefixLength) > MergedAtMostBytes)
            return false;

        byte* room = list.WriteTo(new TreePage(Transaction.ModifyPage(leftPage)), 0, list.Count);
        if (!isLeaf)
            Unsafe.CopyBlockUnaligned(room, right.ValuePointer(0), (uint)ChildBytes);
        FreeNode(rightPage, isLeaf);
        RemoveChild(level - 1, position + 1);
        if (KeepsCounts)
            MarkStale(ModifyPath(level - 1), position);
        return true;
    }

    /// <summary>Divides the entries of the children at <paramref name="position"/> and after it evenly, where the parent has room
    /// for the new separator.</summary>
    [SkipLocalsInit]
    private void BalanceNeighbours(int level, int position, bool isLeaf)
    {
        var parent = new TreePage(_path[level - 1].Pointer);
        long leftPage = parent.Child(position);
        long rightPage = parent.Child(position + 1);
        byte* copies = stackalloc byte[2 * PageLayout.PageSize];
        var left = new TreePage(copies);
        var right = new TreePage(copies + PageLayout.PageSize);
        Unsafe.CopyBlockUnaligned(left.Pointer, ReadNode(leftPage, isLeaf).Pointer, PageLayout.PageSize);
        Unsafe.CopyBlockUnaligned(right.Pointer, ReadNode(rightPage, isLeaf).Pointer, PageLayout.PageSize);
        Span<byte> oldSeparator = stackalloc byte[MaxKeyBytes];
        Span<byte> separator = stackalloc byte[MaxKeyBytes];
        var list = new EntryList(stackalloc EntryReference[2 * EntryList.MaxOnOnePage]);
        int oldLength = GatherNeighbours(ref list, left, right, parent, position, oldSeparator);
        int split = Balance(list, !isLeaf);
        if (!FitBoth(list, split, !isLeaf))
            return;
        int length = Separate(list, split, !isLeaf, separator);

        parent = ModifyPath(level - 1);
        parent.Remove(position + 1);
        byte* child = parent.TryInsert(position + 1, separator[..length], ChildBytes, isOverflow: false);
        bool fits = child != null;
        if (!fits)
            child = parent.TryInsert(position + 1, oldSeparator[..oldLength], ChildBytes, isOverflow: false);
        Invariant.Require(child != null);
        WriteChild(child, rightPage);
        if (!fits)
            return;
        if (KeepsCounts)
            MarkStale(parent, position);
        byte* leftRoom = list.WriteTo(new TreePage(Transaction.ModifyPage(leftPage)), 0, split);
        byte* rightRoom = list.WriteTo(new TreePage(Transaction.ModifyPage(rightPage)), split, list.Count);
        if (!isLeaf)
            Unsafe.CopyBlockUnaligned(leftRoom != null ? leftRoom : rightRoom, right.ValuePointer(0), (uint)ChildBytes);
        _edgeLeaf = null;
    }

    /// <summary>
    /// Lists the entries of two neighbours. In branches the right one's first child gets back the key that only the parent has.
    /// Returns that key's length.
    /// </summary>
    private int GatherNeighbours(ref EntryList list, TreePage left, TreePage right, TreePage parent, int position, Span<byte> separator)
    {
        int length = parent.CopyKey(position + 1, separator);
        list.AddRange(left, 0, left.Count);
        if (left.IsBranch)
        {
            list.InsertExtra(list.Count, separator[..length], ChildBytes, isOverflow: false);
            list.AddRange(right, 1, right.Count);
        }
        else
        {
            list.AddRange(right, 0, right.Count);
        }
        return length;
    }
}

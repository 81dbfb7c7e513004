using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Inserting: ascending keys fill pages wholly, others split them in halves.</summary>
internal sealed unsafe partial class FixedSizeTree
{
    /// <summary>Finds or adds the key and returns where its value goes: undefined bytes when it is new.</summary>
    public byte* Put(long key, out bool isNew)
    {
        RequireWritable();
        if (TryAppend(key, out byte* slot))
        {
            isNew = true;
            return slot;
        }
        Touch();
        if (State.RootPage == 0)
            MakeRoot();
        var path = default(FixedSizePath);
        FixedSizeNode leaf = Descend(key, ref path);
        int level = State.Depth - 1;
        int index = path[level].Index;
        isNew = index == leaf.Count || leaf.Keys[index] != key;
        leaf = ModifyNode(path[level].Page, level);
        if (!isNew)
            return leaf.Value(index);

        State.EntryCount++;
        bool rightmost = IsRightmost(ref path, level);
        if (leaf.Count == leaf.Capacity)
        {
            bool append = rightmost && index == leaf.Count;
            (leaf, index) = Split(leaf, index, append, key, out long separator, out long right);
            AddToParent(ref path, level, separator, right);
            rightmost &= leaf.Number == right;
        }
        slot = leaf.Insert(index, key);
        _tail = rightmost ? leaf.Page : null;
        return slot;
    }

    private bool TryAppend(long key, out byte* slot)
    {
        slot = null;
        if (_tail == null)
            return false;
        var leaf = new FixedSizeNode(_tail, ValueSize);
        int count = leaf.Count;
        if (count == 0 || count == leaf.Capacity || leaf.Keys[count - 1] >= key)
            return false;
        Version++;
        IsChanged = true;
        State.EntryCount++;
        slot = leaf.Insert(count, key);
        return true;
    }

    private void MakeRoot()
    {
        State.RootPage = AllocateNode(leaf: true).Number;
        State.Depth = 1;
    }

    /// <summary>Is there nothing to the right of the page at this level of the path?</summary>
    private static bool IsRightmost(ref FixedSizePath path, int level)
    {
        for (int above = 0; above < level; above++)
            if (path[above].Index != path[above].Count - 1)
                return false;
        return true;
    }

    /// <summary>
    /// Splits a full page into itself and a new right neighbour. Returns the one that takes the entry of that index, and its index there;
    /// <paramref name="separator"/> is the lowest key of the right one. When appending nothing moves.
    /// </summary>
    private (FixedSizeNode Page, int Index) Split(
        FixedSizeNode full,
        int index,
        bool append,
        long key,
        out long separator,
        out long rightPage
    )
    {
        FixedSizeNode right = AllocateNode(full.IsLeaf);
        rightPage = right.Number;
        if (append)
        {
            separator = key;
            return (right, 0);
        }
        int half = full.Count / 2;
        full.MoveTail(half, right);
        separator = right.Keys[0];
        return index <= half ? (full, index) : (right, index - half);
    }

    /// <summary>Adds the new right neighbour of the page at <paramref name="level"/> to the level above, splitting upwards as
    /// needed.</summary>
    private void AddToParent(ref FixedSizePath path, int level, long separator, long rightPage)
    {
        if (level == 0)
        {
            FixedSizeNode root = AllocateNode(leaf: false);
            *(long*)root.Insert(0, long.MinValue) = State.RootPage;
            *(long*)root.Insert(1, separator) = rightPage;
            State.RootPage = root.Number;
            State.Depth++;
            Invariant.Require(State.Depth <= FixedSizePath.MaxDepth);
            return;
        }
        int parentLevel = level - 1;
        FixedSizeNode parent = new(Transaction.ModifyPage(path[parentLevel].Page), FixedSizeNode.ChildSize);
        int index = path[parentLevel].Index + 1;
        if (parent.Count == parent.Capacity)
        {
            bool append = index == parent.Count && IsRightmost(ref path, parentLevel);
            (parent, index) = Split(parent, index, append, separator, out long parentSeparator, out long parentRight);
            AddToParent(ref path, parentLevel, parentSeparator, parentRight);
        }
        *(long*)parent.Insert(index, separator) = rightPage;
    }
}

namespace Jackdaw.Storage.Trees;

/// <summary>Deleting: an empty page goes at once, one under a quarter full joins a neighbour that has room.</summary>
internal sealed unsafe partial class FixedSizeTree
{
    private const int MergeBelowPart = 4;

    /// <summary>False when there is no such key.</summary>
    public bool Delete(long key)
    {
        RequireWritable();
        if (State.RootPage == 0)
            return false;
        var path = default(FixedSizePath);
        FixedSizeNode leaf = Descend(key, ref path);
        int level = State.Depth - 1;
        int index = path[level].Index;
        if (index == leaf.Count || leaf.Keys[index] != key)
            return false;
        Touch();
        State.EntryCount--;
        leaf = ModifyNode(path[level].Page, level);
        leaf.Remove(index);
        Shrink(ref path, level, leaf);
        return true;
    }

    /// <summary>Mends the page at this level of the path after it lost an entry.</summary>
    private void Shrink(ref FixedSizePath path, int level, FixedSizeNode page)
    {
        while (level > 0)
        {
            int count = page.Count;
            if (count > page.Capacity / MergeBelowPart)
                return;
            FixedSizeNode parent = ReadBranch(path[level - 1].Page);
            int index = path[level - 1].Index;
            int gone = count == 0 ? index : MergeableAt(parent, index, level);
            if (gone < 0)
                return;
            parent = ModifyNode(parent.Number, level - 1);
            if (count > 0)
                MergeIntoLeft(parent, gone, level);
            FreeNode(parent.Child(gone), level == State.Depth - 1);
            parent.Remove(gone);
            page = parent;
            level--;
        }
        while (State.Depth > 1 && page.Count == 1)
        {
            long child = page.Child(0);
            FreeNode(page.Number, leaf: false);
            State.RootPage = child;
            State.Depth--;
            page = ReadNode(child, 0);
        }
    }

    /// <summary>Which child of the parent can join the one to its left, of the pairs around <paramref name="index"/>; -1 when
    /// neither pair fits a page.</summary>
    private int MergeableAt(FixedSizeNode parent, int index, int level)
    {
        for (int right = index; right <= index + 1; right++)
        {
            if (right == 0 || right == parent.Count)
                continue;
            FixedSizeNode first = ReadNode(parent.Child(right - 1), level);
            if (first.Count + ReadNode(parent.Child(right), level).Count <= first.Capacity)
                return right;
        }
        return -1;
    }

    private void MergeIntoLeft(FixedSizeNode parent, int right, int level)
    {
        FixedSizeNode first = ModifyNode(parent.Child(right - 1), level);
        int joint = first.Count;
        ReadNode(parent.Child(right), level).CopyTail(0, first);
        if (!first.IsLeaf)
            first.Keys[joint] = parent.Keys[right]; // a first child's own key is not kept up to date; the parent knows its bound
    }
}

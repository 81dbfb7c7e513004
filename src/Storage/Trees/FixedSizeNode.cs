using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// One page of a fixed-size tree: an array of ascending keys, then the array of their values (in a branch: child pages of 8 bytes).
/// Layout: docs/storage-format.md, "Fixed-size trees".
/// </summary>
internal readonly unsafe struct FixedSizeNode(byte* page, int valueSize)
{
    private const int KeySize = sizeof(long);

    public const int ChildSize = sizeof(long);

    /// <summary>Children that a branch has room for.</summary>
    public static readonly int BranchCapacity = CapacityOf(ChildSize);

    public byte* Page => page;

    public PageHeader* Header => (PageHeader*)page;

    public long Number => Header->PageNumber;

    public bool IsLeaf => Header->Kind == PageKind.FixedLeaf;

    public int Count => Header->Count;

    public int Capacity => CapacityOf(valueSize);

    public long* Keys => (long*)(page + PageLayout.HeaderSize);

    /// <summary>Entries that a page has room for.</summary>
    public static int CapacityOf(int valueSize) => PageLayout.BodySize / (KeySize + valueSize);

    public byte* Value(int index) => page + PageLayout.HeaderSize + (KeySize * Capacity) + (index * valueSize);

    /// <summary>Branches only.</summary>
    public long Child(int index) => *(long*)Value(index);

    /// <summary>The first index whose key is not below <paramref name="key"/>; <see cref="Count"/> when there is none.</summary>
    public int LowerBound(long key) => CountBelow(Keys, Count, key);

    /// <summary>
    /// Branches only: the child under which the key lies. The first child's own key must not be looked at: it may have become too
    /// high, since
    /// that child takes all that is lower.
    /// </summary>
    public int ChildIndexOf(long key) => key == long.MaxValue ? Count - 1 : CountBelow(Keys + 1, Count - 1, key + 1);

    private static int CountBelow(long* keys, int count, long key)
    {
        if (count == 0)
            return 0;
        if (keys[count - 1] < key) // appending is common
            return count;
        long* low = keys;
        while (count > 1)
        {
            int half = count >> 1;
            low = low[half - 1] < key ? low + half : low;
            count -= half;
        }
        return (int)(low - keys) + (*low < key ? 1 : 0);
    }

    /// <summary>Makes room for an entry and returns where its value goes.</summary>
    public byte* Insert(int index, long key)
    {
        int count = Count;
        Invariant.Require(index <= count && count < Capacity);
        int moved = count - index;
        Buffer.MemoryCopy(Keys + index, Keys + index + 1, moved * KeySize, moved * KeySize);
        Buffer.MemoryCopy(Value(index), Value(index + 1), moved * valueSize, moved * valueSize);
        Keys[index] = key;
        Header->Count = (ushort)(count + 1);
        return Value(index);
    }

    public void Remove(int index)
    {
        int count = Count;
        Invariant.Require(index < count);
        int moved = count - index - 1;
        Buffer.MemoryCopy(Keys + index + 1, Keys + index, moved * KeySize, moved * KeySize);
        Buffer.MemoryCopy(Value(index + 1), Value(index), moved * valueSize, moved * valueSize);
        Header->Count = (ushort)(count - 1);
    }

    /// <summary>Moves the entries from <paramref name="from"/> on to the end of another page.</summary>
    public void MoveTail(int from, FixedSizeNode to)
    {
        CopyTail(from, to);
        Header->Count = (ushort)from;
    }

    /// <summary>Copies the entries from <paramref name="from"/> on to the end of another page.</summary>
    public void CopyTail(int from, FixedSizeNode to)
    {
        int moved = Count - from;
        int end = to.Count;
        Invariant.Require(moved >= 0 && end + moved <= Capacity);
        Buffer.MemoryCopy(Keys + from, to.Keys + end, moved * KeySize, moved * KeySize);
        Buffer.MemoryCopy(Value(from), to.Value(end), moved * valueSize, moved * valueSize);
        to.Header->Count = (ushort)(end + moved);
    }
}

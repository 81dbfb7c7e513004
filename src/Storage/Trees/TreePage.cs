using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// One leaf or branch page: slots in key order grow up from the header, cells grow down from the end, the prefix common to all
/// keys lies at the
/// very end. A branch's values are page numbers, and its first slot has no key: it stands for everything before the second.
/// Layout: docs/storage-format.md, "Structures".
/// </summary>
internal readonly unsafe partial struct TreePage(byte* page)
{
    public const int SlotsOffset = PageLayout.HeaderSize + 8;

    /// <summary>Bytes for the prefix, slots and cells.</summary>
    public const int Capacity = PageLayout.PageSize - SlotsOffset;

    /// <summary>Bytes of the value's length at the start of a cell.</summary>
    public const int CellHeaderSize = 2;

    /// <summary>Key and value of one entry together; so that any entry fits twice and a split always works out.</summary>
    public const int MaxEntryBytes = Capacity / 2 - TreeSlot.Size - CellHeaderSize;

    /// <summary>Bit 63 of a count: it is out of date. Never in a committed page.</summary>
    public const long StaleCount = long.MinValue;

    public byte* Pointer => page;

    public PageHeader* Header => (PageHeader*)page;

    public bool IsBranch => Header->Kind == PageKind.TreeBranch;

    public int Count => Header->Count;

    public int PrefixLength => *(ushort*)(page + PageLayout.HeaderSize);

    /// <summary>Where the lowest cell begins (with no cells: where the prefix begins).</summary>
    public int CellsStart => *(ushort*)(page + PageLayout.HeaderSize + 2);

    /// <summary>Bytes between <see cref="CellsStart"/> and the prefix that no cell uses.</summary>
    public int DeadBytes => *(ushort*)(page + PageLayout.HeaderSize + 4);

    /// <summary>Where the last insertion went; with <see cref="AscendingRun"/> it tells how to split.</summary>
    public int LastInsert => *(ushort*)(page + PageLayout.HeaderSize + 6);

    /// <summary>How many insertions in a row went right behind the one before (255: or more).</summary>
    public int AscendingRun => Header->Flags;

    public TreeSlot* Slots => (TreeSlot*)(page + SlotsOffset);

    public ReadOnlySpan<byte> Prefix => new(page + PageLayout.PageSize - PrefixLength, PrefixLength);

    /// <summary>Bytes that prefix, slots and cells take.</summary>
    public int UsedBytes => Count * TreeSlot.Size + PageLayout.PageSize - CellsStart - DeadBytes;

    /// <summary>Bytes between the slots and the cells.</summary>
    public int GapBytes => CellsStart - SlotsOffset - Count * TreeSlot.Size;

    /// <summary>What an entry takes, its slot counted, on a page with a prefix of that length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int EntrySize(int suffixLength, int valueLength) =>
        TreeSlot.Size + CellHeaderSize + Math.Max(0, suffixLength - 4) + valueLength;

    /// <summary>Bytes of the key after the prefix; 0 for a branch's first slot.</summary>
    public int SuffixLength(int index) => Slots[index].SuffixLength;

    public bool IsOverflow(int index) => Slots[index].IsOverflow;

    /// <summary>Where the rest of the key and the value lie.</summary>
    public byte* CellPointer(int index) => page + Slots[index].Cell;

    public int ValueLength(int index) => *(ushort*)(page + Slots[index].Cell);

    /// <summary>The value as stored: of an overflow entry, the reference.</summary>
    public byte* ValuePointer(int index)
    {
        TreeSlot* slot = Slots + index;
        return page + slot->Cell + CellHeaderSize + slot->RestLength;
    }

    /// <summary>The value as stored, with its length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* ValuePointer(int index, out int length)
    {
        TreeSlot* slot = Slots + index;
        byte* cell = page + slot->Cell;
        length = *(ushort*)cell;
        return cell + CellHeaderSize + slot->RestLength;
    }

    public long Child(int index) => *(long*)ValuePointer(index);

    /// <summary>In a branch of a tree that keeps counts: the entries in all leaves below the child, and the mark of one that is out of
    /// date (<see cref="StaleCount"/>).</summary>
    public long* CountBelow(int index) => (long*)(ValuePointer(index) + sizeof(long));

    /// <summary>In a branch of a tree that keeps sums: the sum of the numbers in all leaves below the child; undefined while the count is
    /// marked.</summary>
    public long* SumBelow(int index) => (long*)(ValuePointer(index) + 2 * sizeof(long));

    /// <summary>Writes the whole key and returns its length.</summary>
    public int CopyKey(int index, Span<byte> destination)
    {
        int prefixLength = PrefixLength;
        Prefix.CopyTo(destination);
        return prefixLength + CopySuffix(index, destination[prefixLength..]);
    }

    /// <summary>Entries from <paramref name="first"/> on whose keys are before <paramref name="key"/>, plus
    /// <paramref name="first"/>.</summary>
    public int LowerBound(ReadOnlySpan<byte> key, int first, out bool exact)
    {
        exact = false;
        int count = Count;
        int prefixLength = PrefixLength;
        if (prefixLength != 0 && !key.StartsWith(Prefix))
            return ComparePrefix(key) < 0 ? first : count;
        var suffix = key[prefixLength..];
        uint head = TreeKey.Head(suffix);
        int at = HeadLowerBound(head, first, count);
        if (at == count || Slots[at].Head != head)
            return at;
        return LowerBoundAmongEqualHeads(suffix, head, at, count, out exact);
    }

    /// <summary>Asks for the slots that a binary search compares first.</summary>
    public void FetchSlots()
    {
        int bytes = Count * TreeSlot.Size;
        for (int part = 1; part < 8; part++)
            CacheLines.Fetch((byte*)Slots + bytes * part / 8);
    }

    /// <summary>Asks for the slots that a binary search for the key compares after those of <see cref="FetchSlots()"/>, which have come by
    /// now.</summary>
    public void FetchSlots(ReadOnlySpan<byte> key)
    {
        int count = Count;
        int prefixLength = PrefixLength;
        if (count < 8 * CacheLines.Bytes / TreeSlot.Size || key.Length < prefixLength)
            return;
        uint head = TreeKey.Head(key[prefixLength..]);
        var slots = Slots;
        int part = 0;
        for (int step = 4; step > 0; step /= 2)
            part += slots[count * (part + step) / 8].Head < head ? step : 0;
        var first = (byte*)(slots + count * part / 8);
        int bytes = count * TreeSlot.Size / 8;
        for (int quarter = 1; quarter < 4; quarter++)
            CacheLines.Fetch(first + bytes * quarter / 4);
    }

    /// <summary>The branch slot under which the key belongs.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int FindChild(ReadOnlySpan<byte> key)
    {
        int at = LowerBound(key, 1, out bool exact);
        return exact ? at : at - 1;
    }

    /// <summary>Is the entry's key before (negative), equal to or after <paramref name="key"/>?</summary>
    public int CompareKey(int index, ReadOnlySpan<byte> key)
    {
        int side = ComparePrefix(key);
        if (side != 0)
            return -side;
        var suffix = key[PrefixLength..];
        uint head = TreeKey.Head(suffix);
        uint own = Slots[index].Head;
        return own != head ? own.CompareTo(head) : CompareEqualHeads(index, suffix);
    }

    /// <summary>0: the key begins with the prefix. Negative: it is before every key on the page. Positive: after every one.</summary>
    public int ComparePrefix(ReadOnlySpan<byte> key)
    {
        var prefix = Prefix;
        int shared = Math.Min(prefix.Length, key.Length);
        int order = key[..shared].SequenceCompareTo(prefix[..shared]);
        return order != 0 ? order : shared - prefix.Length;
    }

    private int CopySuffix(int index, Span<byte> destination)
    {
        TreeSlot* slot = Slots + index;
        int length = slot->SuffixLength;
        uint head = slot->Head;
        for (int i = 0; i < Math.Min(4, length); i++)
            destination[i] = (byte)(head >> (24 - 8 * i));
        if (length > 4)
            new ReadOnlySpan<byte>(page + slot->Cell + CellHeaderSize, length - 4).CopyTo(destination[4..]);
        return length;
    }

    // The compiler makes a branch of the choice. That is faster than arithmetic: the processor guesses on, and has the next slot fetched.
    private int HeadLowerBound(uint head, int first, int count)
    {
        TreeSlot* at = Slots + first;
        int left = count - first;
        while (left > 1)
        {
            int half = left >> 1;
            at = at[half - 1].Head < head ? at + half : at;
            left -= half;
        }
        int index = (int)(at - Slots);
        return left == 1 && at->Head < head ? index + 1 : index;
    }

    private int LowerBoundAmongEqualHeads(ReadOnlySpan<byte> suffix, uint head, int first, int count, out bool exact)
    {
        int low = first;
        int high = first + 1 < count && Slots[first + 1].Head == head ? HeadUpperBound(head, first + 1, count) : first + 1;
        while (low < high)
        {
            int middle = (low + high) >> 1;
            int order = CompareEqualHeads(middle, suffix);
            if (order == 0)
            {
                exact = true;
                return middle;
            }
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
        exact = false;
        return low;
    }

    private int HeadUpperBound(uint head, int first, int count) => head == uint.MaxValue ? count : HeadLowerBound(head + 1, first, count);

    // With equal heads, where one suffix ends within the head the other has zeros there: then the lengths decide.
    private int CompareEqualHeads(int index, ReadOnlySpan<byte> suffix)
    {
        TreeSlot* slot = Slots + index;
        int length = slot->SuffixLength;
        if (length > 4 && suffix.Length > 4)
        {
            var rest = new ReadOnlySpan<byte>(page + slot->Cell + CellHeaderSize, length - 4);
            return rest.SequenceCompareTo(suffix[4..]);
        }
        return length - suffix.Length;
    }
}

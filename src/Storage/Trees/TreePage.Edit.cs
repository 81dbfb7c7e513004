using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

internal readonly unsafe partial struct TreePage
{
    /// <summary>Empties the page and gives it a prefix, which must not lie in the page itself.</summary>
    public void Initialize(ReadOnlySpan<byte> prefix)
    {
        Header->Count = 0;
        Header->Flags = 0;
        prefix.CopyTo(new Span<byte>(page + PageLayout.PageSize - prefix.Length, prefix.Length));
        *(ushort*)(page + PageLayout.HeaderSize) = (ushort)prefix.Length;
        *(ushort*)(page + PageLayout.HeaderSize + 4) = 0;
        SetLastInsert(0);
        SetCellsStart(PageLayout.PageSize - prefix.Length);
    }

    /// <summary>
    /// Room for the value of a new entry at <paramref name="index"/>, after closing holes or changing the prefix where that makes
    /// enough of it;
    /// null, and nothing changed but the arrangement, when the page must be split.
    /// </summary>
    public byte* TryInsert(int index, ReadOnlySpan<byte> key, int valueLength, bool isOverflow)
    {
        if (PrefixLength != 0 && ComparePrefix(key) != 0)
        {
            if (!TryRearrange(index, key, valueLength))
                return null;
        }
        else
        {
            int size = EntrySize(key.Length - PrefixLength, valueLength);
            if (GapBytes < size && !(Capacity - UsedBytes >= size || HasLongerPrefix(index, key)))
                return null;
            if (GapBytes < size && !TryRearrange(index, key, valueLength))
                return null;
        }
        NoteInsertion(index);
        return InsertCell(index, key[PrefixLength..], valueLength, isOverflow);
    }

    /// <summary>Adds an entry behind the others, in room known to be there. The key must begin with the prefix.</summary>
    public byte* Append(ReadOnlySpan<byte> key, int valueLength, bool isOverflow) =>
        InsertCell(Count, key[PrefixLength..], valueLength, isOverflow);

    /// <summary>Adds a branch's first entry, which has no key.</summary>
    public byte* AppendWithoutKey(int valueLength)
    {
        Invariant.Require(Count == 0);
        return InsertCell(0, default, valueLength, isOverflow: false);
    }

    /// <summary>Copies an entry of a page that has the same prefix.</summary>
    public void AppendSameSuffix(TreePage source, int sourceIndex)
    {
        TreeSlot slot = source.Slots[sourceIndex];
        byte* cell = source.Pointer + slot.Cell;
        int cellSize = CellHeaderSize + slot.RestLength + *(ushort*)cell;
        int index = Count;
        int start = CellsStart - cellSize;
        Invariant.Require(start >= SlotsOffset + (index + 1) * TreeSlot.Size);
        Unsafe.CopyBlockUnaligned(page + start, cell, (uint)cellSize);
        slot.Cell = (ushort)start;
        Slots[index] = slot;
        SetCellsStart(start);
        Header->Count = (ushort)(index + 1);
    }

    public void Remove(int index)
    {
        int count = Count;
        Invariant.Require((uint)index < (uint)count);
        TreeSlot slot = Slots[index];
        ReleaseCell(slot.Cell, CellHeaderSize + slot.RestLength + ValueLength(index));
        new ReadOnlySpan<TreeSlot>(Slots + index + 1, count - index - 1).CopyTo(new Span<TreeSlot>(Slots + index, count - index - 1));
        Header->Count = (ushort)(count - 1);
        if (count == 1)
            Initialize(default);
        else if (index <= LastInsert && LastInsert > 0)
            SetLastInsert(LastInsert - 1);
    }

    /// <summary>Makes a value shorter, or leaves its length, where it lies.</summary>
    public void ShrinkValue(int index, int valueLength, bool isOverflow)
    {
        int before = ValueLength(index);
        Invariant.Require(valueLength <= before);
        TreeSlot* slot = Slots + index;
        *(ushort*)(page + slot->Cell) = (ushort)valueLength;
        slot->SetSuffix(slot->SuffixLength, isOverflow);
        AddDeadBytes(before - valueLength);
    }

    /// <summary>A branch's second slot has become its first.</summary>
    public void DropFirstKey()
    {
        TreeSlot* slot = Slots;
        int rest = slot->RestLength;
        ushort valueLength = *(ushort*)(page + slot->Cell);
        if (slot->Cell == CellsStart)
            SetCellsStart(slot->Cell + rest);
        else
            AddDeadBytes(rest);
        slot->Cell += (ushort)rest;
        *(ushort*)(page + slot->Cell) = valueLength;
        slot->Head = 0;
        slot->SetSuffix(0, isOverflow: false);
    }

    /// <summary>After a split: the run of ascending insertions goes on behind this entry.</summary>
    public void ContinueRun(int run, int lastInsert)
    {
        Header->Flags = (byte)run;
        SetLastInsert(lastInsert);
    }

    private byte* InsertCell(int index, ReadOnlySpan<byte> suffix, int valueLength, bool isOverflow)
    {
        int count = Count;
        int rest = Math.Max(0, suffix.Length - 4);
        int start = CellsStart - CellHeaderSize - rest - valueLength;
        Invariant.Require(start >= SlotsOffset + (count + 1) * TreeSlot.Size);
        TreeSlot* slot = Slots + index;
        if (index != count)
            new ReadOnlySpan<TreeSlot>(slot, count - index).CopyTo(new Span<TreeSlot>(slot + 1, count - index));
        slot->Head = TreeKey.Head(suffix);
        slot->Cell = (ushort)start;
        slot->SetSuffix(suffix.Length, isOverflow);
        byte* cell = page + start;
        *(ushort*)cell = (ushort)valueLength;
        if (rest != 0)
            suffix[4..].CopyTo(new Span<byte>(cell + CellHeaderSize, rest));
        SetCellsStart(start);
        Header->Count = (ushort)(count + 1);
        return cell + CellHeaderSize + rest;
    }

    /// <summary>Rewrites the page with the longest prefix that its keys and the new one share, when the new entry then fits.</summary>
    [SkipLocalsInit]
    private bool TryRearrange(int index, ReadOnlySpan<byte> key, int valueLength)
    {
        byte* copy = stackalloc byte[PageLayout.PageSize];
        Unsafe.CopyBlockUnaligned(copy, page, PageLayout.PageSize);
        var list = new EntryList(stackalloc EntryReference[EntryList.MaxOnOnePage]);
        list.AddRange(new TreePage(copy), 0, Count);
        list.InsertExtra(index, key, valueLength, isOverflow: false);
        int prefixLength = list.SharedPrefixLength(0, list.Count, IsBranch);
        if (list.UsedBytes(0, list.Count, IsBranch, prefixLength) > Capacity)
            return false;
        var (lastInsert, run) = (LastInsert, AscendingRun);
        list.RemoveExtra(index);
        Initialize(key[..prefixLength]);
        list.AppendTo(this, 0, list.Count);
        ContinueRun(run, lastInsert);
        return true;
    }

    [SkipLocalsInit]
    private bool HasLongerPrefix(int index, ReadOnlySpan<byte> key)
    {
        int first = IsBranch ? 1 : 0;
        int count = Count;
        if (count <= first)
            return false;
        // Between two keys a third shares what they share; at an edge it takes the place of the outermost one.
        Span<byte> low = stackalloc byte[BTree.MaxKeyBytes];
        Span<byte> high = stackalloc byte[BTree.MaxKeyBytes];
        ReadOnlySpan<byte> lowest = index == first ? key : low[..CopyKey(first, low)];
        ReadOnlySpan<byte> highest = index == count ? key : high[..CopyKey(count - 1, high)];
        return lowest.CommonPrefixLength(highest) > PrefixLength;
    }

    private void NoteInsertion(int index)
    {
        int run = Count > 0 && index == LastInsert + 1 ? Math.Min(255, AscendingRun + 1) : 0;
        SetLastInsert(index);
        Header->Flags = (byte)run;
    }

    private void ReleaseCell(int start, int size)
    {
        if (start == CellsStart)
            SetCellsStart(start + size);
        else
            AddDeadBytes(size);
    }

    private void SetCellsStart(int offset) => *(ushort*)(page + PageLayout.HeaderSize + 2) = (ushort)offset;

    private void SetLastInsert(int index) => *(ushort*)(page + PageLayout.HeaderSize + 6) = (ushort)index;

    private void AddDeadBytes(int bytes) => *(ushort*)(page + PageLayout.HeaderSize + 4) += (ushort)bytes;
}

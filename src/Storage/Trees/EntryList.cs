using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Entries in key order, of one or two pages and at most one more that is on none yet: what rearranging, splitting, merging and
/// balancing write
/// out anew. The pages written to must not be the ones referred to.
/// </summary>
internal unsafe ref struct EntryList(Span<EntryReference> room)
{
    /// <summary>Of an emptiest possible entry: a slot and a cell without key or value; and one more for the extra.</summary>
    public const int MaxOnOnePage = TreePage.Capacity / (TreeSlot.Size + TreePage.CellHeaderSize) + 1;

    private readonly Span<EntryReference> _entries = room;
    private ReadOnlySpan<byte> _extraKey;
    private int _extraValueLength;
    private bool _extraIsOverflow;

    public int Count { get; private set; }

    public void AddRange(TreePage page, int from, int to)
    {
        for (int i = from; i < to; i++)
            _entries[Count++] = new EntryReference { Page = page.Pointer, Index = i };
    }

    public void InsertExtra(int at, ReadOnlySpan<byte> key, int valueLength, bool isOverflow)
    {
        _entries[at..Count].CopyTo(_entries[(at + 1)..]);
        _entries[at] = default;
        Count++;
        _extraKey = key;
        _extraValueLength = valueLength;
        _extraIsOverflow = isOverflow;
    }

    public void RemoveExtra(int at)
    {
        Invariant.Require(_entries[at].Page == null);
        _entries[(at + 1)..Count].CopyTo(_entries[at..]);
        Count--;
    }

    public readonly int KeyLength(int index)
    {
        ref readonly var entry = ref _entries[index];
        if (entry.Page == null)
            return _extraKey.Length;
        var page = new TreePage(entry.Page);
        return page.PrefixLength + page.SuffixLength(entry.Index);
    }

    public readonly int CopyKey(int index, Span<byte> destination)
    {
        ref readonly var entry = ref _entries[index];
        if (entry.Page != null)
            return new TreePage(entry.Page).CopyKey(entry.Index, destination);
        _extraKey.CopyTo(destination);
        return _extraKey.Length;
    }

    public readonly int ValueLength(int index)
    {
        ref readonly var entry = ref _entries[index];
        return entry.Page == null ? _extraValueLength : new TreePage(entry.Page).ValueLength(entry.Index);
    }

    /// <summary>What all keys of the range begin with. A branch page's first key is not stored, so it does not count.</summary>
    [SkipLocalsInit]
    public readonly int SharedPrefixLength(int from, int to, bool isBranch)
    {
        int first = isBranch ? from + 1 : from;
        if (first >= to)
            return 0;
        Span<byte> low = stackalloc byte[BTree.MaxKeyBytes];
        Span<byte> high = stackalloc byte[BTree.MaxKeyBytes];
        return low[..CopyKey(first, low)].CommonPrefixLength(high[..CopyKey(to - 1, high)]);
    }

    /// <summary>Bytes of the range on a page of its own with that prefix.</summary>
    public readonly int UsedBytes(int from, int to, bool isBranch, int prefixLength)
    {
        int used = prefixLength;
        for (int i = from; i < to; i++)
            used += EntryBytes(i, prefixLength, isKeyless: isBranch && i == from);
        return used;
    }

    public readonly int EntryBytes(int index, int prefixLength, bool isKeyless) =>
        TreePage.EntrySize(isKeyless ? 0 : KeyLength(index) - prefixLength, ValueLength(index));

    public readonly bool Fits(int from, int to, bool isBranch) =>
        UsedBytes(from, to, isBranch, SharedPrefixLength(from, to, isBranch)) <= TreePage.Capacity;

    /// <summary>Makes the page hold the range and nothing else, with the longest prefix. Returns the room for the extra's value
    /// when it is in it.</summary>
    [SkipLocalsInit]
    public readonly byte* WriteTo(TreePage page, int from, int to)
    {
        Span<byte> key = stackalloc byte[BTree.MaxKeyBytes];
        int prefixLength = SharedPrefixLength(from, to, page.IsBranch);
        if (prefixLength > 0)
            CopyKey(to - 1, key);
        page.Initialize(key[..prefixLength]);
        return AppendTo(page, from, to);
    }

    /// <summary>Adds the range to an empty page whose prefix is set.</summary>
    [SkipLocalsInit]
    public readonly byte* AppendTo(TreePage page, int from, int to)
    {
        Span<byte> key = stackalloc byte[BTree.MaxKeyBytes];
        byte* extraRoom = null;
        for (int i = from; i < to; i++)
        {
            ref readonly var entry = ref _entries[i];
            bool isKeyless = page.IsBranch && i == from;
            if (entry.Page == null)
            {
                extraRoom = isKeyless
                    ? page.AppendWithoutKey(_extraValueLength)
                    : page.Append(_extraKey, _extraValueLength, _extraIsOverflow);
                continue;
            }
            var source = new TreePage(entry.Page);
            if (!isKeyless && source.PrefixLength == page.PrefixLength)
            {
                page.AppendSameSuffix(source, entry.Index);
                continue;
            }
            int valueLength = source.ValueLength(entry.Index);
            byte* value = isKeyless
                ? page.AppendWithoutKey(valueLength)
                : page.Append(key[..source.CopyKey(entry.Index, key)], valueLength, source.IsOverflow(entry.Index));
            Unsafe.CopyBlockUnaligned(value, source.ValuePointer(entry.Index), (uint)valueLength);
        }
        return extraRoom;
    }
}

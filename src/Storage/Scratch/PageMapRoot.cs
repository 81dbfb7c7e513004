using System.Numerics;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// One version of the map page number → page in scratch: a radix tree of 6 bits a level. Immutable once published; changed by path copying
/// through <see cref="PageMapWriter"/>.
/// </summary>
internal readonly unsafe struct PageMapRoot(PageMapNode* node, int height)
{
    /// <summary>Null: the map is empty.</summary>
    public readonly PageMapNode* Node = node;

    /// <summary>Levels; the map covers page numbers below 64^height.</summary>
    public readonly int Height = height;

    /// <summary>The page's memory in scratch, or null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Find(long page)
    {
        var node = Node;
        if (node == null)
            return null;
        var shift = (Height - 1) * PageMapNode.Bits;
        if (page >> shift >= PageMapNode.FanOut)
            return null;
        for (; ; shift -= PageMapNode.Bits)
        {
            var child = PageMapNode.Children(node)[(int)(page >> shift) & (PageMapNode.FanOut - 1)];
            if (child == 0 || shift == 0)
                return (byte*)child;
            node = (PageMapNode*)child;
        }
    }

    /// <summary>
    /// Fills <paramref name="pages"/> with entries from page number <paramref name="from"/> on, ascending, and returns how many.
    /// Fewer than asked: the
    /// end was reached.
    /// </summary>
    public int Collect(long from, Span<PageMapEntry> pages)
    {
        var count = 0;
        if (Node != null && from >> ((Height - 1) * PageMapNode.Bits) < PageMapNode.FanOut)
            Collect(Node, (Height - 1) * PageMapNode.Bits, 0, from, pages, ref count);
        return count;
    }

    /// <summary>
    /// The same of the entries whose slots were made after a version. It visits no node that is older: whoever changes an entry makes every
    /// node above it anew.
    /// </summary>
    public int CollectNewerThan(long version, long from, Span<PageMapEntry> pages)
    {
        var count = 0;
        if (Node != null && from >> ((Height - 1) * PageMapNode.Bits) < PageMapNode.FanOut)
            Collect(Node, (Height - 1) * PageMapNode.Bits, 0, from, pages, ref count, version);
        return count;
    }

    /// <summary>Adds to a list the nodes and the slots of this map that were made after a version.</summary>
    public void RetireNewerThan(long version, ref RetiredMemory retired)
    {
        if (Node != null)
            RetireNewerThan(version, Node, Height, ref retired);
    }

    private static void RetireNewerThan(long version, PageMapNode* node, int height, ref RetiredMemory retired)
    {
        if (node->Owner <= version)
            return;
        for (var present = node->Present; present != 0; present &= present - 1)
        {
            var child = PageMapNode.Children(node)[BitOperations.TrailingZeroCount(present)];
            if (height > 1)
                RetireNewerThan(version, (PageMapNode*)child, height - 1, ref retired);
            else if (ScratchSlot.Of((byte*)child)->Version > version)
                retired.Add(ScratchSlot.Of((byte*)child));
        }
        retired.Add(node);
    }

    private static void Collect(
        PageMapNode* node,
        int shift,
        long prefix,
        long from,
        Span<PageMapEntry> pages,
        ref int count,
        long newerThan = -1
    )
    {
        if (node->Owner <= newerThan)
            return;
        var present = node->Present;
        var span = 1L << shift;
        if (from > prefix)
        {
            var skip = (from - prefix) >> shift;
            present = skip >= PageMapNode.FanOut ? 0 : present & (ulong.MaxValue << (int)skip);
        }
        for (; present != 0 && count < pages.Length; present &= present - 1)
        {
            var index = BitOperations.TrailingZeroCount(present);
            var at = prefix + index * span;
            var child = PageMapNode.Children(node)[index];
            if (shift != 0)
                Collect((PageMapNode*)child, shift - PageMapNode.Bits, at, from, pages, ref count, newerThan);
            else if (newerThan < 0 || ScratchSlot.Of((byte*)child)->Version > newerThan)
                pages[count++] = new PageMapEntry { PageNumber = at, Page = (byte*)child };
        }
    }
}

/// <summary>A page number and its memory in scratch.</summary>
internal unsafe struct PageMapEntry
{
    public long PageNumber;
    public byte* Page;
}

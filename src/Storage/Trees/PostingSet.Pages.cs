using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Posting pages and their entries in the index.</summary>
public sealed unsafe partial class PostingSet
{
    /// <summary>Writes the blocks to the range's page, and to new ones behind it when they do not fit.</summary>
    private void WritePages(PostingBlocks blocks, PageRange range, bool append)
    {
        int pages = (blocks.TotalBytes + PostingPage.Capacity - 1) / PostingPage.Capacity;
        int enough = append ? PostingPage.Capacity : blocks.TotalBytes / pages;
        PostingPage page = range.Page < 0 ? AllocatePage(range.Key) : ClearPage(range.Page);
        for (int i = 0; i < blocks.Count; i++)
        {
            ReadOnlySpan<byte> packed = blocks.Packed(i);
            bool full = page.UsedBytes + PostingBlock.Size + packed.Length > PostingPage.Capacity;
            if (full || page.UsedBytes >= enough)
                page = AllocatePage(blocks[i].First);
            page.Append(blocks[i], packed);
        }
    }

    private PostingPage AllocatePage(long key)
    {
        byte* memory = Transaction.AllocatePages(1, PageKind.Postings, out long number);
        ((PageHeader*)memory)->Flags = 0;
        var page = new PostingPage(memory);
        page.Clear();
        *(long*)_index.Put(key, out bool isNew) = number;
        Invariant.Require(isNew);
        return page;
    }

    private PostingPage ClearPage(long number)
    {
        var page = new PostingPage(Transaction.ModifyPage(number));
        page.Clear();
        return page;
    }

    /// <summary>Gives an emptied page back; when it was the first one, the next takes over the lowest numbers.</summary>
    private void DropPage(PageRange range)
    {
        Transaction.FreePages(range.Page, 1);
        bool deleted = _index.Delete(range.Key);
        Invariant.Require(deleted);
        var position = new FixedSizePosition(_index);
        if (range.Key != FirstKey || !position.SeekFirst())
            return;
        long key = position.Key;
        long page = *(long*)position.Value;
        _index.Delete(key);
        *(long*)_index.Put(FirstKey, out _) = page;
    }

    /// <summary>Adds the blocks of a neighbouring page when both fit well into one, which <paramref name="range"/> then is.</summary>
    private void JoinNeighbour(PostingBlocks blocks, ref PageRange range)
    {
        if (range.Last != long.MaxValue && Locate(range.Last + 1, out PageRange right) && FitsWith(blocks, right))
        {
            blocks.AddAll(ReadPostings(right.Page));
            blocks.Complete(even: true);
            DropPage(right);
            range.Last = right.Last;
        }
        else if (range.Key != FirstKey && Locate(range.Key - 1, out PageRange left) && FitsWith(blocks, left))
        {
            // The blocks must ascend: what is at hand goes to its page first, and then both pages come in order.
            PostingPage own = ClearPage(range.Page);
            for (int i = 0; i < blocks.Count; i++)
                own.Append(blocks[i], blocks.Packed(i));
            blocks.Clear();
            blocks.AddAll(ReadPostings(left.Page));
            blocks.AddAll(own);
            blocks.Complete(even: true);
            DropPage(range);
            range = left with { Last = range.Last };
        }
    }

    private bool FitsWith(PostingBlocks blocks, PageRange neighbour) =>
        blocks.TotalBytes + ReadPostings(neighbour.Page).UsedBytes <= PostingPage.Capacity * 3 / 4;
}

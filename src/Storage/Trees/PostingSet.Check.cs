using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Checking: trusts nothing that a page says.</summary>
public sealed unsafe partial class PostingSet
{
    internal override void Check(IPageVisitor visitor)
    {
        var index = new IndexVisitor(visitor);
        _index.Check(index);
        if (index.IsDamaged)
            return;
        long counted = 0;
        var position = new FixedSizePosition(_index);
        bool any = position.SeekFirst();
        if (any && position.Key != FirstKey)
            visitor.Report(State.RootPage, $"'{Name}': the first key is {position.Key}");
        while (any)
        {
            long key = position.Key;
            long page = *(long*)position.Value;
            any = position.MoveNext();
            counted += CheckPage(visitor, page, key, any ? position.Key - 1 : long.MaxValue);
        }
        if (counted != State.EntryCount)
            visitor.Report(State.RootPage, $"'{Name}': counted {counted} numbers, the catalog says {State.EntryCount}");
    }

    /// <summary>Returns how many numbers the page has; all must ascend within [low, high].</summary>
    private long CheckPage(IPageVisitor visitor, long number, long low, long high)
    {
        if (!visitor.Visit(number, 1))
            return 0;
        var page = new PostingPage(Transaction.ReadPage(number));
        if (
            page.Header->Kind != PageKind.Postings
            || page.Header->PageNumber != number
            || page.Count == 0
            || page.Count * PostingBlock.Size > PostingPage.Capacity
            || page.UsedBytes > PostingPage.Capacity
        )
        {
            visitor.Report(
                number,
                $"'{Name}': should be a page of postings, is page {page.Header->PageNumber}, "
                    + $"{page.Header->Kind}, {page.Count} blocks, {page.UsedBytes} bytes"
            );
            return 0;
        }
        Span<long> numbers = stackalloc long[PostingBlock.MaxNumbers];
        long counted = 0;
        int end = PageLayout.PageSize;
        for (int i = 0; i < page.Count; i++)
        {
            PostingBlock block = page.Block(i);
            int start = end - block.PackedBytes;
            if (
                block.Count > PostingBlock.MaxNumbers
                || block.Width > 64
                || block.Offset != start
                || start < PageLayout.HeaderSize + page.Count * PostingBlock.Size
            )
            {
                visitor.Report(number, $"'{Name}': block {i} of {block.Count} numbers of {block.Width} bits lies at {block.Offset}");
                return counted;
            }
            end = start;
            foreach (long member in numbers[..page.Unpack(i, numbers)])
            {
                if (member < low || member > high)
                    visitor.Report(number, $"'{Name}': {member} in block {i} is out of order");
                low = member == long.MaxValue ? member : member + 1;
                counted++;
            }
        }
        if (page.UsedBytes != page.Count * PostingBlock.Size + PageLayout.PageSize - end)
            visitor.Report(number, $"'{Name}': {page.UsedBytes} bytes do not add up");
        return counted;
    }

    /// <summary>Passes on what the index reports and remembers whether anything was wrong.</summary>
    private sealed class IndexVisitor(IPageVisitor inner) : IPageVisitor
    {
        public bool IsDamaged { get; private set; }

        public bool Visit(long pageNumber, int runLength)
        {
            bool visited = inner.Visit(pageNumber, runLength);
            IsDamaged |= !visited;
            return visited;
        }

        public void Report(long pageNumber, string problem)
        {
            IsDamaged = true;
            inner.Report(pageNumber, problem);
        }
    }
}

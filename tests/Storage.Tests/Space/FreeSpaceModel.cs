using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Xunit;

namespace Jackdaw.Storage.Tests.Space;

/// <summary>One byte a page, first fit by plain search: what <see cref="FreeSpace"/> must agree with, across commits, aborts and
/// a full disk.</summary>
internal sealed class FreeSpaceModel : IDisposable
{
    private const int MaxPages = (int)(2 * PageLayout.GroupPages) + 20_000;

    private readonly SparsePages.Store _store = new() { MaxPages = MaxPages };
    private readonly FreeSpaceHints _hints = new();
    private readonly Random _random;
    private readonly byte[] _used = new byte[MaxPages];
    private readonly List<PageRun> _live = [];

    public FreeSpaceModel(int seed)
    {
        _random = new Random(seed);
        using var tx = new SparsePages(_store, _random);
        tx.GrowFile(2 + _random.Next(100));
        new FreeSpace(_hints).Initialize(tx);
        MarkNewBitmaps(0, tx.PageCount);
        _used[0] = 1;
        tx.Commit();
    }

    public int Groups => FreeSpace.Groups(_store.PageCount);

    public int Aborted { get; private set; }

    public int Refused { get; private set; }

    public int Freed { get; private set; }

    public void RunTransaction()
    {
        byte[] usedBefore = [.. _used];
        PageRun[] liveBefore = [.. _live];
        using var tx = new SparsePages(_store, _random);
        var space = new FreeSpace(_hints);
        bool keep = true;
        // Phases of growing and of shrinking, so that the file fills up and empties.
        int freeing = _random.Next(10);
        for (int i = _random.Next(60); i > 0 && keep; i--)
        {
            if (_random.Next(10) < freeing && _live.Count > 0)
                Free(tx, space);
            else
                keep = Allocate(tx, space, PickCount());
        }
        if (keep && _random.Next(5) > 0)
        {
            Compare(tx);
            tx.Commit();
            return;
        }
        Aborted++;
        _hints.Forget();
        usedBefore.CopyTo(_used, 0);
        _live.Clear();
        _live.AddRange(liveBefore);
    }

    public void Dispose() => _store.Dispose();

    private int PickCount() =>
        _random.Next(20) switch
        {
            < 10 => 1,
            < 14 => _random.Next(2, 8),
            < 17 => _random.Next(2, 200),
            < 19 => _random.Next(2, 3000),
            _ => _random.Next(2, 40_000),
        };

    private bool Allocate(SparsePages tx, FreeSpace space, int count)
    {
        int growths = tx.Growths;
        long before = tx.PageCount;
        long expected = FirstFit(before, count);
        long page;
        try
        {
            page = space.Allocate(tx, count);
        }
        catch (DiskFullException)
        {
            Assert.Equal(-1, expected);
            Refused++;
            return false;
        }
        Assert.Equal(expected < 0 ? 1 : 0, tx.Growths - growths);
        if (expected < 0)
        {
            MarkNewBitmaps(before, tx.PageCount);
            expected = FirstFit(tx.PageCount, count);
        }
        Assert.Equal(expected, page);
        _used.AsSpan((int)page, count).Fill(1);
        _live.Add(new PageRun(page, count));
        return true;
    }

    private void Free(SparsePages tx, FreeSpace space)
    {
        int at = _random.Next(_live.Count);
        PageRun run = _live[at];
        int from = _random.Next(3) == 0 ? _random.Next(run.Count) : 0;
        int count = _random.Next(3) == 0 ? _random.Next(1, run.Count - from + 1) : run.Count - from;
        _live[at] = _live[^1];
        _live.RemoveAt(_live.Count - 1);
        if (from > 0)
            _live.Add(new PageRun(run.First, from));
        if (from + count < run.Count)
            _live.Add(new PageRun(run.First + from + count, run.Count - from - count));
        space.Free(tx, run.First + from, count);
        _used.AsSpan((int)run.First + from, count).Clear();
        Freed++;
    }

    private long FirstFit(long pageCount, int count)
    {
        for (long group = 0; group < FreeSpace.Groups(pageCount); group++)
        {
            int start = (int)(group * PageLayout.GroupPages);
            Span<byte> pages = _used.AsSpan(start, (int)Math.Min(PageLayout.GroupPages, pageCount - start));
            for (int at = 0; at < pages.Length; )
            {
                int skip = pages[at..].IndexOf((byte)0);
                if (skip < 0)
                    break;
                at += skip;
                int length = pages[at..].IndexOf((byte)1);
                length = length < 0 ? pages.Length - at : length;
                if (length >= count)
                    return start + at;
                at += length;
            }
        }
        return -1;
    }

    private void MarkNewBitmaps(long before, long after)
    {
        for (int group = FreeSpace.Groups(before); group < FreeSpace.Groups(after); group++)
            _used[(group * PageLayout.GroupPages) + 1] = 1;
    }

    private void Compare(SparsePages tx)
    {
        int pages = (int)tx.PageCount;
        long covered = Math.Min(pages, FreeSpace.Groups(pages) * PageLayout.GroupPages);
        Assert.Equal(_used.AsSpan(0, (int)covered).Count((byte)0), FreeSpace.FreeCount(tx));
        for (int i = 0; i < 200; i++)
        {
            int page = _random.Next(pages);
            Assert.Equal(_used[page] == 1, FreeSpace.IsInUse(tx, page));
        }
        int atLeast = _random.Next(1, 300);
        var runs = new List<PageRun>();
        FreeSpace.CollectFreeRuns(tx, atLeast, runs);
        Assert.Equal(NaiveRuns(covered, atLeast), runs);
    }

    private List<PageRun> NaiveRuns(long pages, int atLeast)
    {
        var runs = new List<PageRun>();
        long start = -1;
        for (long page = 0; page <= pages; page++)
        {
            bool free = page < pages && _used[page] == 0;
            if (start >= 0 && (!free || page % PageLayout.GroupPages == 0))
            {
                if (page - start >= atLeast)
                    runs.Add(new PageRun(start, (int)(page - start)));
                start = -1;
            }
            if (free && start < 0)
                start = page;
        }
        return runs;
    }
}

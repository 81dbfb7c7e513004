using System.Runtime.CompilerServices;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Space;

/// <summary>
/// Which pages of the data file are in use: one bitmap page a group of 65,280 pages (docs/storage-format.md, "Bitmap pages").
/// Hands out the lowest free place. One instance serves one write transaction; the hints outlive it. The static members also serve readers.
/// </summary>
internal sealed unsafe class FreeSpace
{
    /// <summary>The longest run that can be allocated: a run lies in one group and never holds its bitmap page.</summary>
    public const int MaxRunPages = (int)PageLayout.GroupPages - FirstRunIndex;

    private const int BitmapIndex = 1;
    private const int FirstRunIndex = BitmapIndex + 1;

    // How far around a freed page the free run that it joins is measured, in words of 64 pages.
    private const int MeasureReach = 8;

    private readonly FreeSpaceHints _hints;
    private PageTransaction? _transaction;
    private int _group = -1; // the group whose writable bitmap is at _bitmap
    private PageHeader* _bitmap;

    public FreeSpace(FreeSpaceHints hints) => _hints = hints;

    /// <summary>
    /// Marks the meta page and the bitmap pages of a new environment as in use. The file must hold at least two pages already.
    /// </summary>
    public void Initialize(PageTransaction tx)
    {
        Attach(tx);
        int groups = Groups(tx.PageCount);
        Invariant.Require(groups > 0);
        for (int group = 0; group < groups; group++)
            CreateBitmap(tx, group);
        _hints.Forget();
    }

    /// <summary>
    /// Takes the lowest <paramref name="count"/> adjacent free pages (1 to <see cref="MaxRunPages"/>) and returns the first one's
    /// number; grows
    /// the file when nothing fits. Throws <see cref="DiskFullException"/>, having changed nothing, and
    /// <see cref="LimitExceededException"/>.
    /// </summary>
    public long Allocate(PageTransaction tx, int count)
    {
        Invariant.Require(count > 0);
        if (count > MaxRunPages)
            throw new LimitExceededException("A run of pages", count, MaxRunPages, "fixed by the storage format");
        Attach(tx);
        if (!TryTake(tx, count, out long page))
        {
            Grow(tx, count);
            bool taken = TryTake(tx, count, out page);
            Invariant.Require(taken);
        }
        return page;
    }

    /// <summary>Gives pages back. They must be in use: a page freed twice is an <see cref="InvariantViolationException"/>.</summary>
    public void Free(PageTransaction tx, long page, int count)
    {
        Attach(tx);
        Invariant.Require(page > PageLayout.MetaPage && count > 0 && page + count <= tx.PageCount);
        int group = (int)(page / PageLayout.GroupPages);
        int index = (int)(page % PageLayout.GroupPages);
        Invariant.Require(group < Groups(tx.PageCount) && index + count <= PageLayout.GroupPages);
        Invariant.Require(index > BitmapIndex || index + count <= BitmapIndex, "a bitmap page is never freed");
        PageHeader* bitmap = Bitmap(tx, group);
        Invariant.Require(BitmapWords.AllAre(Words(bitmap), index, count, set: true), "a page is freed that is not in use");

        bitmap = WritableBitmap(tx, group);
        Invariant.Require(bitmap->Count >= count);
        BitmapWords.Clear(Words(bitmap), index, count);
        bitmap->Count -= (ushort)count;
        WidenHints(Words(bitmap), group, index, count, Limit(tx, group));
    }

    /// <summary>True for a page that is in use, meta and bitmap pages included. Pages outside the file are not.</summary>
    public static bool IsInUse(PageTransaction tx, long page)
    {
        Invariant.Require(page >= 0);
        int group = (int)(page / PageLayout.GroupPages);
        return page < tx.PageCount
            && group < Groups(tx.PageCount)
            && BitmapWords.IsSet(Words(ReadBitmap(tx, group)), (int)(page % PageLayout.GroupPages));
    }

    /// <summary>Pages of the file that could be handed out without growing it.</summary>
    public static long FreeCount(PageTransaction tx)
    {
        long free = 0;
        for (int group = 0; group < Groups(tx.PageCount); group++)
            free += Limit(tx, group) - ReadBitmap(tx, group)->Count;
        return free;
    }

    /// <summary>Adds every free run of at least <paramref name="atLeast"/> pages, as this transaction sees them, in ascending
    /// order. No run spans two groups.</summary>
    public static void CollectFreeRuns(PageTransaction tx, int atLeast, ICollection<PageRun> runs)
    {
        for (int group = 0; group < Groups(tx.PageCount); group++)
        {
            ulong* words = Words(ReadBitmap(tx, group));
            int limit = Limit(tx, group);
            for (int from = 0; ; )
            {
                int start = BitmapWords.FirstClearRun(words, from, limit, atLeast);
                if (start < 0)
                    break;
                int end = BitmapWords.Surroundings(words, start, start + atLeast, limit, reach: limit).End;
                runs.Add(new PageRun(group * PageLayout.GroupPages + start, end - start));
                from = end;
            }
        }
    }

    /// <summary>True for the numbers that bitmap pages have.</summary>
    public static bool IsBitmapPage(long page) => page % PageLayout.GroupPages == BitmapIndex;

    /// <summary>How many groups of a file of so many pages have a bitmap: those whose bitmap page lies in the file.</summary>
    public static int Groups(long pageCount) =>
        pageCount <= BitmapIndex ? 0 : (int)((pageCount - BitmapIndex - 1) / PageLayout.GroupPages) + 1;

    private bool TryTake(PageTransaction tx, int count, out long page)
    {
        int groups = Groups(tx.PageCount);
        for (int group = _hints.FirstGroup; group < groups; group++)
        {
            ref FreeSpaceHints.GroupHint hint = ref _hints.Of(group);
            if (hint.LongestRun < count)
                continue;
            int limit = Limit(tx, group);
            int index = count == 1 ? FindPage(tx, group, limit, ref hint, groups) : FindRun(tx, group, limit, ref hint, count);
            if (index < 0)
                continue;
            MarkUsed(tx, group, index, count);
            page = group * PageLayout.GroupPages + index;
            return true;
        }
        page = -1;
        return false;
    }

    private int FindPage(PageTransaction tx, int group, int limit, ref FreeSpaceHints.GroupHint hint, int groups)
    {
        int index = BitmapWords.FirstClear(Words(Bitmap(tx, group)), hint.LowestFree, limit);
        if (index >= 0)
        {
            hint.LowestFree = index + 1;
            return index;
        }
        // The last group may still grow; the others are full until something is freed.
        hint.LowestFree = Math.Max(hint.LowestFree, limit);
        if (group == _hints.FirstGroup && group + 1 < groups)
            _hints.FirstGroup = group + 1;
        return -1;
    }

    private int FindRun(PageTransaction tx, int group, int limit, ref FreeSpaceHints.GroupHint hint, int count)
    {
        int from = count >= hint.RunSize ? Math.Max(hint.LowestFree, hint.RunsFrom) : hint.LowestFree;
        int index = BitmapWords.FirstClearRun(Words(Bitmap(tx, group)), from, limit, count);
        if (index < 0)
        {
            if (limit == PageLayout.GroupPages)
                hint.LongestRun = count - 1;
            return -1;
        }
        // Of two sizes that alternate the smaller one keeps the hint, as it also serves the larger.
        if (count <= hint.RunSize || hint.RunsFrom <= hint.LowestFree)
        {
            hint.RunSize = count;
            hint.RunsFrom = index + count;
        }
        if (index == hint.LowestFree)
            hint.LowestFree = index + count;
        return index;
    }

    private void MarkUsed(PageTransaction tx, int group, int index, int count)
    {
        PageHeader* bitmap = WritableBitmap(tx, group);
        ulong* words = Words(bitmap);
        Invariant.Require(BitmapWords.AllAre(words, index, count, set: false));
        BitmapWords.Set(words, index, count);
        bitmap->Count += (ushort)count;
    }

    private void WidenHints(ulong* words, int group, int index, int count, int limit)
    {
        ref FreeSpaceHints.GroupHint hint = ref _hints.Of(group);
        hint.LowestFree = Math.Min(hint.LowestFree, index);
        _hints.FirstGroup = Math.Min(_hints.FirstGroup, group);
        var (start, end, whole) = BitmapWords.Surroundings(words, index, index + count, limit, MeasureReach);
        // At the end of the file or of what was measured the run may go on.
        bool known = whole && end < limit;
        hint.LongestRun = known ? Math.Max(hint.LongestRun, end - start) : (int)PageLayout.GroupPages;
        if (!whole)
            hint.RunsFrom = 0;
        else if (!known || end - start >= hint.RunSize)
            hint.RunsFrom = Math.Min(hint.RunsFrom, start);
    }

    /// <summary>Extends the file so that <paramref name="count"/> adjacent pages fit behind what is used, and makes the bitmaps
    /// of new groups.</summary>
    private void Grow(PageTransaction tx, int count)
    {
        long have = tx.PageCount;
        int groups = Groups(have);
        Invariant.Require(groups > 0, "the environment has no bitmap yet");
        int last = groups - 1;
        int limit = Limit(tx, last);
        ulong* words = Words(Bitmap(tx, last));
        int tail = limit;
        while (tail > 0 && !BitmapWords.IsSet(words, tail - 1))
            tail--;
        long wanted =
            tail + count <= PageLayout.GroupPages
                ? last * PageLayout.GroupPages + tail + count
                : groups * PageLayout.GroupPages + FirstRunIndex + (count == 1 ? 0 : count); // alone, the page before the bitmap will do
        Invariant.Require(wanted > have);
        long grown = tx.GrowFile(wanted);
        Invariant.Require(grown >= wanted && grown == tx.PageCount);
        for (int group = groups; group < Groups(grown); group++)
            CreateBitmap(tx, group);
    }

    private static void CreateBitmap(PageTransaction tx, int group)
    {
        byte* page = tx.CreatePagesAt(group * PageLayout.GroupPages + BitmapIndex, 1, PageKind.Bitmap);
        new Span<byte>(page + PageLayout.HeaderSize, PageLayout.BodySize).Clear();
        var bitmap = (PageHeader*)page;
        int first = group == 0 ? 0 : BitmapIndex; // group 0 begins with the meta page
        BitmapWords.Set(Words(bitmap), first, FirstRunIndex - first);
        bitmap->Count = (ushort)(FirstRunIndex - first);
    }

    /// <summary>Pages of a group that lie in the file.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Limit(PageTransaction tx, int group) =>
        (int)Math.Min(PageLayout.GroupPages, tx.PageCount - group * PageLayout.GroupPages);

    private void Attach(PageTransaction tx)
    {
        if (ReferenceEquals(tx, _transaction))
            return;
        Invariant.Require(_transaction is null, "one instance serves one transaction");
        Invariant.Require(tx.IsWritable);
        _transaction = tx;
    }

    private PageHeader* Bitmap(PageTransaction tx, int group) => group == _group ? _bitmap : ReadBitmap(tx, group);

    private PageHeader* WritableBitmap(PageTransaction tx, int group)
    {
        if (group != _group)
        {
            _bitmap = (PageHeader*)tx.ModifyPage(group * PageLayout.GroupPages + BitmapIndex);
            _group = group;
        }
        return _bitmap;
    }

    private static PageHeader* ReadBitmap(PageTransaction tx, int group)
    {
        var bitmap = (PageHeader*)tx.ReadPage(group * PageLayout.GroupPages + BitmapIndex);
        Invariant.Require(bitmap->Kind == PageKind.Bitmap);
        return bitmap;
    }

    private static ulong* Words(PageHeader* bitmap) => (ulong*)((byte*)bitmap + PageLayout.HeaderSize);
}

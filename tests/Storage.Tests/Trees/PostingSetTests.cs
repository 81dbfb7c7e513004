using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Trees;

public class PostingSetTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0, 40_000)]
    [InlineData(1, 5_000_000)]
    [InlineData(2, long.MaxValue)]
    public void Batches_added_and_removed_agree_with_a_sorted_set(int round, long span)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var store = new HeapStore();
        var expected = new SortedSet<long>();
        int most = 0;
        for (int transaction = 0; transaction < 25; transaction++)
        {
            using HeapPages tx = store.BeginWrite();
            PostingSet set = tx.Catalog.OpenPostingSet("set");
            var changed = new SortedSet<long>(expected);
            for (int i = random.Next(1, 6); i > 0; i--)
                ChangeSome(random, span, set, changed);
            CollectingVisitor.Verify(set);
            Compare(random, span, set, changed);
            most = Math.Max(most, changed.Count);
            if (random.Next(4) == 0)
                continue; // aborted
            tx.Commit();
            expected = changed;
        }
        Assert.True(most > 2_000);
        using HeapPages end = store.BeginWrite();
        PostingSet last = end.Catalog.OpenPostingSet("set");
        Assert.Equal(expected.Count, last.Remove([.. expected]));
        CollectingVisitor.Verify(last);
        Assert.Equal((0L, 1L), (last.EntryCount, last.PageCount));
    }

    [Fact]
    public void Numbers_that_lie_close_take_few_bits()
    {
        using HeapPages tx = HeapStore.SingleWriter();
        PostingSet all = tx.Catalog.OpenPostingSet("all");
        PostingSet some = tx.Catalog.OpenPostingSet("some");
        var random = new Random(4);
        for (long from = 0; from < 1_000_000; from += 1_000)
        {
            all.Add([.. Enumerable.Range(0, 1_000).Select(i => from + i)]);
            some.Add([.. Enumerable.Range(0, 1_000).Where(_ => random.Next(10) == 0).Select(i => from + i)]);
        }
        CollectingVisitor.Verify(all);
        CollectingVisitor.Verify(some);
        Assert.Equal(1_000_000, all.EntryCount);
        Assert.True(all.PageCount * PageLayout.PageSize * 8 < 1_000_000, $"{all.PageCount} pages"); // under a bit a number
        Assert.True(some.PageCount * PageLayout.PageSize < some.EntryCount * 1.0, $"{some.PageCount} pages"); // under a byte
    }

    [Fact]
    public void Numbers_inserted_singly_and_at_random_keep_blocks_and_pages_filled()
    {
        using HeapPages tx = HeapStore.SingleWriter();
        PostingSet set = tx.Catalog.OpenPostingSet("set");
        long[] numbers = [.. Enumerable.Range(0, 20_000).Select(i => i * 5L)];
        new Random(9).Shuffle(numbers);
        foreach (long number in numbers)
            Assert.Equal(1, set.Add([number]));
        Assert.Equal(0, set.Add([numbers[7]]));
        CollectingVisitor.Verify(set);
        long bits = set.State.OverflowPages * PageLayout.PageSize * 8;
        Assert.True(bits < 20_000 * 16, $"{bits / 20_000.0:F1} bits a number");
    }

    [Fact]
    public void The_extremes_and_what_does_not_ascend()
    {
        using HeapPages tx = HeapStore.SingleWriter();
        PostingSet set = tx.Catalog.OpenPostingSet("set");
        Assert.Equal(4, set.Add([long.MinValue, -1, 0, long.MaxValue]));
        Assert.True(set.Contains(long.MinValue) && set.Contains(long.MaxValue) && !set.Contains(1) && !set.Contains(long.MinValue + 1));
        PostingCursor cursor = set.OpenCursor();
        Assert.True(cursor.Seek(1));
        Assert.Equal(long.MaxValue, cursor.Current);
        Assert.False(cursor.MoveNext());
        Assert.Throws<ArgumentException>(() => set.Add([1, 1]));
        Assert.Throws<ArgumentException>(() => set.Remove([2, 1]));
        Assert.True(cursor.SeekFirst());
        set.Remove([0]);
        Assert.Throws<InvalidOperationException>(() => cursor.Current);
        CollectingVisitor.Verify(set);
    }

    [Theory]
    [InlineData("order")]
    [InlineData("kind")]
    [InlineData("offset")]
    [InlineData("lost block")]
    [InlineData("index")]
    public unsafe void A_check_reports_damage(string damage)
    {
        using HeapPages tx = HeapStore.SingleWriter();
        PostingSet set = tx.Catalog.OpenPostingSet("set");
        var random = new Random(3);
        set.Add([.. Enumerable.Range(0, 100_000).Where(_ => random.Next(2) == 0).Select(i => i * 1_000L)]);
        var position = new FixedSizePosition(set.Index);
        Assert.True(position.SeekFirst() && position.MoveNext());
        PostingPage page = set.ReadPostings(*(long*)position.Value);
        switch (damage)
        {
            case "order":
                page.Block(2).First += 1_000_000_000;
                break;
            case "kind":
                page.Header->Kind = PageKind.Overflow;
                break;
            case "offset":
                page.Block(3).Offset = 10;
                break;
            case "lost block":
                page.Header->Count--;
                break;
            case "index":
                *(long*)position.Value = 1_000_000_000;
                break;
        }
        var visitor = new BoundedVisitor(tx.PageCount);
        set.Check(visitor);
        Assert.NotEmpty(visitor.Problems);
    }

    private static void ChangeSome(Random random, long span, PostingSet set, SortedSet<long> expected)
    {
        int count = random.Next(3) == 0 ? random.Next(1, 5) : random.Next(1, 8_000);
        var batch = new SortedSet<long>();
        long from = random.NextInt64(-span / 2, span / 2);
        long step = Math.Max(1, random.Next(2) == 0 ? 1 : span / 100_000);
        bool dense = random.Next(2) == 0;
        for (int i = 0; i < count; i++)
        {
            long number = dense ? from + i * step : random.NextInt64(-span / 2, span / 2);
            if (number >= -span / 2 && number < span / 2)
                batch.Add(number);
        }
        if (random.Next(5) < 2)
        {
            // Numbers that are there and numbers that are not.
            foreach (long member in expected.Skip(random.Next(expected.Count + 1)).Take(random.Next(20_000)))
                batch.Add(member);
            long removed = expected.Intersect(batch).Count();
            Assert.Equal(removed, set.Remove([.. batch]));
            expected.ExceptWith(batch);
            return;
        }
        int before = expected.Count;
        expected.UnionWith(batch);
        Assert.Equal(expected.Count - before, set.Add([.. batch]));
    }

    private static void Compare(Random random, long span, PostingSet set, SortedSet<long> expected)
    {
        long[] numbers = [.. expected];
        Assert.Equal(numbers.Length, set.EntryCount);
        PostingCursor cursor = set.OpenCursor();
        bool any = cursor.SeekFirst();
        foreach (long number in numbers)
        {
            Assert.True(any && cursor.Current == number, $"at {number}");
            any = cursor.MoveNext();
        }
        Assert.False(any);
        for (int i = 0; i < 200; i++)
        {
            long number = random.NextInt64(-span / 2, span / 2);
            int at = Array.BinarySearch(numbers, number);
            Assert.Equal(at >= 0, set.Contains(number));
            at = at < 0 ? ~at : at;
            Assert.Equal(at < numbers.Length, cursor.Seek(number));
            var read = new long[random.Next(1, 500)];
            int count = cursor.Read(read);
            Assert.Equal(numbers.Skip(at).Take(read.Length), read.Take(count));
        }
        if (numbers.Length > 0)
            Assert.True(set.Contains(numbers[random.Next(numbers.Length)]));
    }

    /// <summary>As the real check does, does not let a structure look at pages outside the file.</summary>
    private sealed class BoundedVisitor(long pageCount) : IPageVisitor
    {
        public List<string> Problems { get; } = [];

        public bool Visit(long pageNumber, int runLength)
        {
            if (pageNumber < pageCount)
                return true;
            Report(pageNumber, "outside the file");
            return false;
        }

        public void Report(long pageNumber, string problem) => Problems.Add(problem);
    }
}

using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

public sealed unsafe class PageDifferencesTests
{
    private const int ChecksumBytes = 4;

    [Fact]
    public void Differences_laid_over_the_old_page_give_the_new_one() =>
        TestSeed.ForEach(
            300,
            random =>
            {
                var old = RandomPage(random);
                var @new = Change(random, old);
                var list = Find(old, @new, PageLayout.PageSize * 2, out var count);
                Assert.NotNull(list);
                var page = old.ToArray();
                Assert.True(Apply(page, list, count));
                Assert.True(page.AsSpan(ChecksumBytes).SequenceEqual(@new.AsSpan(ChecksumBytes)));
                Assert.True(page.AsSpan(0, ChecksumBytes).SequenceEqual(old.AsSpan(0, ChecksumBytes)));
            }
        );

    [Fact]
    public void Differences_laid_in_order_over_any_mixture_of_versions_give_the_last_one() =>
        TestSeed.ForEach(
            200,
            random =>
            {
                var versions = new List<byte[]> { RandomPage(random) };
                var lists = new List<(byte[] List, int Count)>();
                for (var i = 0; i < 6; i++)
                {
                    versions.Add(Change(random, versions[^1]));
                    lists.Add((Find(versions[^2], versions[^1], PageLayout.PageSize * 2, out var count)!, count));
                }
                var page = new byte[PageLayout.PageSize];
                for (var sector = 0; sector < page.Length; sector += 512)
                    versions[random.Next(versions.Count)].AsSpan(sector, 512).CopyTo(page.AsSpan(sector));
                foreach (var (list, count) in lists)
                    Assert.True(Apply(page, list, count));
                Assert.True(page.AsSpan(ChecksumBytes).SequenceEqual(versions[^1].AsSpan(ChecksumBytes)));
            }
        );

    [Fact]
    public void Equal_pages_and_pages_that_differ_in_the_checksum_alone_have_no_differences()
    {
        var old = RandomPage(new Random(1));
        var @new = old.ToArray();
        new Random(2).NextBytes(@new.AsSpan(0, ChecksumBytes));
        Assert.Empty(Find(old, @new, PageDifferences.MaxListBytes, out var count)!);
        Assert.Equal(0, count);
    }

    [Fact]
    public void Every_single_byte_after_the_checksum_is_found()
    {
        var old = RandomPage(new Random(3));
        for (var at = ChecksumBytes; at < PageLayout.PageSize; at++)
        {
            var @new = old.ToArray();
            @new[at] ^= 0x10;
            var list = Find(old, @new, PageDifferences.MaxListBytes, out var count)!;
            Assert.Equal(1, count);
            Assert.Equal([(byte)at, (byte)(at >> 8), 1, 0, @new[at]], list);
        }
    }

    [Fact]
    public void A_list_over_the_limit_is_refused_for_the_whole_page()
    {
        var old = new byte[PageLayout.PageSize];
        var @new = new byte[PageLayout.PageSize];
        @new.AsSpan(100, PageDifferences.MaxListBytes - PageDifferences.DifferenceHeaderBytes).Fill(7);
        Assert.Equal(PageDifferences.MaxListBytes, Find(old, @new, PageDifferences.MaxListBytes, out _)!.Length);
        @new[99] = 7;
        Assert.Null(Find(old, @new, PageDifferences.MaxListBytes, out _));
    }

    [Theory]
    [InlineData(0, 1, "the checksum is not a difference")]
    [InlineData(PageLayout.PageSize, 1, "begins after the page")]
    [InlineData(PageLayout.PageSize - 3, 4, "ends after the page")]
    [InlineData(100, 5, "has more bytes than the list")]
    public void A_difference_outside_the_page_or_the_list_is_refused(int offset, int length, string why)
    {
        byte[] list = [(byte)offset, (byte)(offset >> 8), (byte)length, 0, .. new byte[Math.Min(length, 4)]];
        var page = new byte[PageLayout.PageSize];
        Assert.False(Apply(page, list, 1), why);
    }

    private static byte[] RandomPage(Random random)
    {
        var page = new byte[PageLayout.PageSize];
        random.NextBytes(page);
        return page;
    }

    private static byte[] Change(Random random, byte[] old)
    {
        var @new = old.ToArray();
        random.NextBytes(@new.AsSpan(0, ChecksumBytes));
        for (var changes = random.Next(1, 30); changes > 0; changes--)
        {
            var start = random.Next(ChecksumBytes, @new.Length);
            var length = Math.Min(@new.Length - start, random.Next(4) == 0 ? random.Next(1, 1500) : random.Next(1, 12));
            random.NextBytes(@new.AsSpan(start, length));
        }
        return @new;
    }

    private static byte[]? Find(byte[] old, byte[] @new, int maxListBytes, out int count)
    {
        var ranges = stackalloc uint[PageDifferences.MaxRanges];
        fixed (byte* a = old)
        fixed (byte* b = @new)
            count = PageDifferences.Find(a, b, ranges, maxListBytes, out _);
        if (count < 0)
            return null;
        var list = new List<byte>();
        for (var i = 0; i < count; i++)
        {
            var start = (int)(ranges[i] & 0xFFFF);
            var length = (int)(ranges[i] >> 16) - start;
            list.AddRange([(byte)start, (byte)(start >> 8), (byte)length, (byte)(length >> 8)]);
            list.AddRange(@new.AsSpan(start, length));
        }
        return [.. list];
    }

    private static bool Apply(byte[] page, byte[] list, int count)
    {
        fixed (byte* target = page)
        fixed (byte* bytes = list)
            return PageDifferences.TryApply(target, bytes, list.Length, count);
    }
}

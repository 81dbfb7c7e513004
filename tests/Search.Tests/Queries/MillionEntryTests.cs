using System.Diagnostics;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Ordering;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>What can be counted at a million entries. Times go to the output; ./bench holds them.</summary>
[Trait("Category", "Slow")]
[Collection(AloneCollection.Name)]
public sealed class MillionEntryTests(MillionEntries entries, ITestOutputHelper output) : IClassFixture<MillionEntries>
{
    private static readonly SearchOrder s_byTotal = new(SearchOrderKind.Number, "Total", IsDescending: true);

    private static readonly SearchQuery s_positive = new SearchQuery.Range("Total", Number(0), false, null, false);

    [Fact]
    public void A_page_of_a_million_matches_in_the_order_of_the_same_field_walks_its_terms_and_allocates_little()
    {
        var request = new SearchRequest
        {
            Query = s_positive,
            Order = [s_byTotal],
            Take = 25,
        };
        long[] expected =
        [
            .. Enumerable
                .Range(0, MillionEntries.Count)
                .OrderByDescending(MillionEntries.TotalOf)
                .ThenBy(entry => entry)
                .Take(25)
                .Select(entry => entry + 1L),
        ];
        var found = new long[25];
        long allocated = long.MaxValue;
        for (int i = 0; i < 50; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            var clock = Stopwatch.StartNew();
            using (var reader = entries.Scene.Read())
            using (var result = reader.Search(request))
            {
                Assert.Equal(MillionEntries.Count, result.Total);
                Assert.Equal(25, result.Read(found));
                allocated = Math.Min(allocated, GC.GetAllocatedBytesForCurrentThread() - before);
                if (i == 49)
                    output.WriteLine($"{clock.Elapsed.TotalMicroseconds} µs, {allocated} bytes\n{result.Explain()}");
                Assert.Contains("by the field's terms", result.Explain(), StringComparison.Ordinal);
            }
        }
        Assert.Equal(expected, found);
        Assert.InRange(allocated, 0, 16 << 10);
    }

    [Fact]
    public void A_query_of_one_term_allocates_little()
    {
        var request = new SearchRequest { Query = Term("Name", "name 4711"), Take = 25 };
        var found = new long[25];
        long allocated = long.MaxValue;
        var best = TimeSpan.MaxValue;
        for (int i = 0; i < 200; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            var clock = Stopwatch.StartNew();
            using (var reader = entries.Scene.Read())
            using (var result = reader.Search(request))
            {
                Assert.Equal(1, result.Read(found));
            }
            best = clock.Elapsed < best ? clock.Elapsed : best;
            allocated = Math.Min(allocated, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        output.WriteLine($"{best.TotalMicroseconds} µs, {allocated} bytes");
        Assert.Equal(4712, found[0]);
        Assert.InRange(allocated, 0, 8 << 10);
    }

    [Fact]
    public void Matches_of_another_term_are_ordered_by_the_column_or_by_terms_alike()
    {
        var request = new SearchRequest
        {
            Query = Term("State", "state 3"),
            Order = [s_byTotal],
            Take = 1000,
        };
        using var reader = entries.Scene.Read();
        var byColumns = Timed(reader, request, OrderChoice.Columns);
        var byTerms = Timed(reader, request, OrderChoice.Terms);
        foreach (var choice in Enum.GetValues<OrderChoice>())
            Timed(reader, request with { Take = 25 }, choice);
        Timed(reader, request with { Query = new SearchQuery.All(), Take = 25 }, OrderChoice.Columns);
        Assert.Equal(1000, byColumns.Length);
        Assert.Equal(byColumns, byTerms);
    }

    [Fact]
    public void A_range_of_a_field_with_several_values_is_counted_by_a_union()
    {
        using var reader = entries.Scene.Read();
        var request = new SearchRequest { Query = new SearchQuery.Range("Lines", Number(0), true, null, false), Take = 25 };
        Timed(reader, request, OrderChoice.Cheapest);
        using var result = reader.Search(request);
        Assert.Equal(MillionEntries.Count, result.Total);
        Assert.Contains("a union of the terms' postings", result.Explain(), StringComparison.Ordinal);
        request = request with { Query = new SearchQuery.Range("Lines", Number(10), true, Number(10), true) };
        using var few = reader.Search(request);
        Assert.Equal(2 * MillionEntries.Count / 1000, few.Total);
    }

    [Fact]
    public void A_page_of_a_range_of_nine_thousand_is_counted_by_sums_and_may_be_ordered_by_entry()
    {
        using var reader = entries.Scene.Read();
        var range = new SearchQuery.Range("Total", Number(10_000), true, Number(18_100), false);
        var request = new SearchRequest
        {
            Query = range,
            Order = [new SearchOrder(SearchOrderKind.Entry)],
            Take = 25,
        };
        long[] found = Timed(reader, request, OrderChoice.Cheapest);
        long[] expected =
        [
            .. Enumerable
                .Range(0, MillionEntries.Count)
                .Where(entry => MillionEntries.TotalOf(entry) is >= 10_000 and < 18_100)
                .Select(entry => entry + 1L),
        ];
        Assert.Equal(expected.Take(25), found);
        using var result = reader.Search(request);
        Assert.Equal(expected.Length, result.Total);
        Assert.Contains("counted by the sums of the dictionary", result.Explain(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_in_of_seventy_thousand_terms_is_answered()
    {
        var values = Enumerable.Range(0, 70_000).Select(i => (SearchValue)new SearchValue.Text($"NAME {i * 13}")).ToList();
        using var reader = entries.Scene.Read();
        long[] found = Timed(reader, new SearchRequest { Query = new SearchQuery.In("Name", values) }, OrderChoice.Cheapest);
        Assert.Equal(Enumerable.Range(0, 70_000).Select(i => i * 13L + 1), found);
    }

    [Fact]
    public void A_page_however_deep_ends_in_bounded_memory()
    {
        using var reader = entries.Scene.Read();
        var request = new SearchRequest
        {
            Query = new SearchQuery.All(),
            Order = [new SearchOrder(SearchOrderKind.Random, Seed: "a")],
            Skip = 2_000_000_000,
        };
        Assert.Empty(Timed(reader, request, OrderChoice.Cheapest));
        Assert.Empty(Timed(reader, request with { Skip = 0, Take = 0 }, OrderChoice.Cheapest));
        long before = TopEntries.AllocatedBytes;
        using var deep = reader.Search(request with { Skip = MillionEntries.Count - 10 });
        var some = new long[100];
        Assert.Equal(10, deep.Read(some));
        Assert.Equal(0, deep.Read(some));
        Assert.InRange(TopEntries.AllocatedBytes - before, 1, EntriesByColumns.MaxPassBytes + 100);
        output.WriteLine(deep.Explain());
    }

    [Fact]
    public void Nothing_is_missing_or_twice_where_an_order_takes_several_passes()
    {
        using var reader = entries.Scene.Read();
        var request = new SearchRequest { Query = new SearchQuery.All(), Order = [new SearchOrder(SearchOrderKind.Random, Seed: "b")] };
        long[] found = Timed(reader, request with { Take = 600_000 }, OrderChoice.Cheapest);
        Assert.Equal(600_000, found.Distinct().Count());
        using var rest = reader.Search(request with { Skip = 600_000 });
        Assert.Equal(MillionEntries.Count, found.Concat(ReadAll(rest)).Distinct().Count());
    }

    [Fact]
    public void Native_memory_is_given_back()
    {
        long bits = EntryBitmap.AllocatedBytes;
        using var reader = entries.Scene.Read();
        using (var result = reader.Search(new SearchRequest { Query = new SearchQuery.Not(Term("State", "state 1")), Order = [s_byTotal] }))
        {
            Assert.Equal(MillionEntries.Count * 9 / 10, result.Total);
            ReadAll(result);
        }
        Assert.Equal(bits, EntryBitmap.AllocatedBytes);
    }

    [Fact]
    public void A_few_matches_are_filtered_by_the_column_of_a_wide_range()
    {
        using var reader = entries.Scene.Read();
        SearchQuery one = Term("Name", "name 777");
        SearchQuery state = new SearchQuery.Contains("State", "ate 7");
        foreach (
            var (wide, fits) in (IEnumerable<(SearchQuery, bool)>)
                [(s_positive, true), (new SearchQuery.Prefix("State", "st"), true), (new SearchQuery.Not(s_positive), false)]
        )
        {
            using var result = reader.Search(new SearchRequest { Query = new SearchQuery.And([one, wide, state]) });
            Assert.Equal(fits ? 1 : 0, result.Total);
            Assert.Contains("by the column", result.Explain(), StringComparison.Ordinal);
        }
    }

    private long[] Timed(SearchReader reader, SearchRequest request, OrderChoice choice)
    {
        long[] found = [];
        var best = TimeSpan.MaxValue;
        for (int i = 0; i < 25; i++)
        {
            var clock = Stopwatch.StartNew();
            using var result = reader.Search(request, choice);
            found = ReadAll(result);
            best = clock.Elapsed < best ? clock.Elapsed : best;
            if (i == 24)
                output.WriteLine($"{best.TotalMilliseconds:F2} ms at best for {found.Length}\n{result.Explain()}");
        }
        return found;
    }

    private static long[] ReadAll(SearchResult result)
    {
        var all = new List<long>();
        var some = new long[1024];
        for (int filled; (filled = result.Read(some)) > 0; )
            all.AddRange(some[..filled]);
        return [.. all];
    }

    private static SearchQuery.Term Term(string field, string text) => new(field, new SearchValue.Text(text));

    private static SearchValue.Number Number(double value) => new(new SearchNumber(value));
}

using System.Text;
using Jackdaw.Search.Fields;
using Jackdaw.Search.Queries;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>A query of a few entries allocates little, however large the index is.</summary>
public sealed class AllocationTests : IDisposable
{
    private const int Entries = 3_000;
    private readonly IndexScene _scene = new();

    public AllocationTests()
    {
        ushort name = _scene.Batch.Field("Name", new FieldOptions());
        ushort total = _scene.Batch.Field("Total", new FieldOptions());
        for (int i = 0; i < Entries; i++)
        {
            _scene.Batch.BeginSource(Encoding.UTF8.GetBytes($"orders/{i:D5}"));
            _scene.Batch.BeginEntry();
            _scene.Batch.AddText(name, Encoding.UTF8.GetBytes($"name {i}"));
            _scene.Batch.AddNumber(total, new SearchNumber(i));
        }
        _scene.Commit();
    }

    [Fact]
    public void A_search_with_one_match_allocates_less_than_3_KB()
    {
        var request = new SearchRequest { Query = new SearchQuery.Term("Name", new SearchValue.Text("name 7")) };
        Assert.InRange(LeastAllocated(request, matches: 1), 0, 3 << 10);
    }

    [Fact]
    public void A_page_of_a_range_in_order_allocates_less_than_4_KB()
    {
        var request = new SearchRequest
        {
            Query = new SearchQuery.Range("Total", new SearchValue.Number(new SearchNumber(0)), false, null, false),
            Order = [new SearchOrder(SearchOrderKind.Number, "Total", IsDescending: true)],
            Take = 25,
        };
        Assert.InRange(LeastAllocated(request, matches: 25), 0, 4 << 10);
    }

    public void Dispose() => _scene.Dispose();

    /// <summary>The least of many runs: pools are empty at first, and after each garbage collection.</summary>
    private long LeastAllocated(SearchRequest request, int matches)
    {
        long least = long.MaxValue;
        long[] found = new long[32];
        for (int run = 0; run < 200; run++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            using (var reader = _scene.Read())
            {
                using var result = reader.Search(request);
                Assert.Equal(matches, result.Read(found));
            }
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        return least;
    }
}

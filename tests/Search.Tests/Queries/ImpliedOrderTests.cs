using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>The order of queries that name none.</summary>
public sealed class ImpliedOrderTests
{
    private const int Entries = 3_000;
    private static readonly SearchQuery All = Over(-1);

    [Fact]
    public void A_range_with_many_matches_is_given_by_its_values_with_an_exact_total()
    {
        using var scene = Filled();
        using var reader = scene.Read();
        using var result = reader.Search(new SearchRequest { Query = All, Take = 25 });
        Assert.Equal(Entries, result.Total);
        Assert.Equal(Enumerable.Range(0, 25).Select(i => (long)(Entries - i)), ReadAll(result));
        Assert.Contains("by the field's terms", result.Explain(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_range_with_few_matches_is_given_by_entries()
    {
        using var scene = Filled();
        using var reader = scene.Read();
        using var result = reader.Search(new SearchRequest { Query = Over(Entries - 500) });
        Assert.Equal(Enumerable.Range(1, 499).Select(i => (long)i), ReadAll(result));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_answer_keeps_the_order_that_it_began_with(bool becomesSeveralValued)
    {
        using var scene = Filled();
        var found = new List<long>();
        SearchPosition? position = null;
        for (int page = 0; page < Entries / 250; page++)
        {
            if (page == 5 && becomesSeveralValued)
                PutSeveralValues(scene);
            using var reader = scene.Read();
            using var result = reader.Search(
                new SearchRequest
                {
                    Query = All,
                    Take = 250,
                    After = position,
                }
            );
            found.AddRange(ReadAll(result));
            position = result.Position;
        }
        Assert.Equal(Enumerable.Range(0, Entries).Select(i => (long)(Entries - i)), found);
    }

    [Fact]
    public void Pages_by_skipping_follow_each_other()
    {
        using var scene = Filled();
        using var reader = scene.Read();
        var found = new List<long>();
        for (int skip = 0; skip < Entries; skip += 100)
        {
            using var result = reader.Search(
                new SearchRequest
                {
                    Query = All,
                    Skip = skip,
                    Take = 100,
                }
            );
            found.AddRange(ReadAll(result));
        }
        Assert.Equal(Entries, found.Distinct().Count());
    }

    private static SearchQuery.Range Over(int number) =>
        new("Total", new SearchValue.Number(new SearchNumber(number)), IncludesFrom: false, To: null, IncludesTo: false);

    /// <summary>The later an entry, the smaller its total.</summary>
    private static IndexScene Filled()
    {
        var scene = new IndexScene();
        ushort total = scene.Batch.Field("Total", new FieldOptions());
        for (int i = 0; i < Entries; i++)
        {
            scene.Batch.BeginSource(System.Text.Encoding.UTF8.GetBytes($"orders/{i:D5}"));
            scene.Batch.BeginEntry();
            scene.Batch.AddNumber(total, new SearchNumber(Entries - 1 - i));
        }
        scene.Commit();
        return scene;
    }

    private static void PutSeveralValues(IndexScene scene)
    {
        ushort total = scene.Batch.Field("Total", new FieldOptions());
        scene.Batch.BeginSource("other/1"u8);
        scene.Batch.BeginEntry();
        scene.Batch.AddNumber(total, new SearchNumber(-5));
        scene.Batch.AddNumber(total, new SearchNumber(-6));
        scene.Commit();
    }

    private static List<long> ReadAll(SearchResult result)
    {
        var all = new List<long>();
        var block = new long[64];
        for (int read; (read = result.Read(block)) > 0; )
            all.AddRange(block[..read]);
        return all;
    }
}

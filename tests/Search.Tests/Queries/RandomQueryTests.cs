using FsCheck;
using FsCheck.Fluent;
using Jackdaw.Search.Ordering;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Jackdaw.Search.Tests.Entries;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Random queries over random entries, beside an evaluator that looks at every entry.</summary>
[Trait("Category", "Slow")]
public sealed class RandomQueryTests(ITestOutputHelper output)
{
    private static readonly SearchOrder[] s_any =
    [
        .. from kind in (SearchOrderKind[])[SearchOrderKind.Text, SearchOrderKind.Number, SearchOrderKind.AlphaNumeric]
        from name in (string[])["Name", "Total", "Tags", "Body", "Nowhere"]
        select new SearchOrder(kind, name),
    ];

    private static readonly SearchOrder[] s_walkable =
    [
        new(SearchOrderKind.Number, "Total"),
        new(SearchOrderKind.Text, "Name"),
        new(SearchOrderKind.Number, "Total"),
        new(SearchOrderKind.Text, "Tags"),
    ];

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_query_finds_what_a_look_at_every_entry_finds(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var scene = new IndexScene();
        var model = RandomEntries.Fill(scene, random, round % 2 == 0 ? 100 : 1200);
        using var reader = scene.Read();
        var naive = new NaiveIndex(model, reader);
        var config = Config.QuickThrowOnFailure.WithMaxTest(400).WithReplay((ulong)seed, 1);
        Prop.ForAll(RandomQueries.All, query => RequireSame(reader, naive, query)).Check(config);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Every_order_is_that_of_a_plain_sort_whichever_way_it_is_made(int round)
    {
        int seed = Seeds.Of(100 + round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var scene = new IndexScene();
        var model = RandomEntries.Fill(scene, random, round == 0 ? 60 : 900);
        using var reader = scene.Read();
        var naive = new NaiveIndex(model, reader);
        int walked = 0;
        Prop.ForAll(RandomQueries.All, query => walked += RequireSameOrder(reader, naive, query, random, s_any))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(250).WithReplay((ulong)seed, 1));
        output.WriteLine($"{walked} orders by terms");
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(2, 3)]
    public void Where_no_entry_has_several_values_totals_are_sums_and_orders_can_walk_terms(int round, int totals)
    {
        int seed = Seeds.Of(200 + round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var made = new SingleEntries(random, totals);
        var model = new IndexModel();
        using var scene = new IndexScene();
        for (int i = 0; i < (round == 0 ? 4000 : 300); i++)
            model.Put(scene.Batch, "docs/" + random.Next(10_000), [made.One()]);
        scene.Commit();
        using var reader = scene.Read();
        var naive = new NaiveIndex(model, reader);
        Assert.Equal(totals > 1, reader.Fields.Any(field => field.HasSeveralValues));
        int walked = 0;
        Prop.ForAll(
                RandomQueries.All,
                query =>
                {
                    RequireSame(reader, naive, query);
                    walked += RequireSameOrder(reader, naive, query, random, s_walkable);
                }
            )
            .Check(Config.QuickThrowOnFailure.WithMaxTest(200).WithReplay((ulong)seed, 1));
        output.WriteLine($"{walked} orders by terms");
        Assert.True(walked > 20);
    }

    private static void RequireSame(SearchReader reader, NaiveIndex naive, SearchQuery query)
    {
        long[] expected = naive.Find(query);
        using var result = reader.Search(new SearchRequest { Query = query });
        Assert.Equal(expected.Length, result.Total);
        Assert.Equal(expected, ReadAll(result, 100));
        Assert.NotEmpty(result.Explain());
    }

    private static int RequireSameOrder(SearchReader reader, NaiveIndex naive, SearchQuery query, Random random, SearchOrder[] from)
    {
        SearchOrder[] orders =
        [
            .. Enumerable
                .Range(0, random.Next(4) == 0 ? 2 : 1)
                .Select(_ => from[random.Next(from.Length)] with { IsDescending = random.Next(2) == 0 }),
        ];
        if (random.Next(6) == 0)
            orders = [new SearchOrder(SearchOrderKind.Entry, IsDescending: random.Next(3) > 0)];
        long[] all = naive.Order(naive.Find(query), orders);
        int skip = random.Next(3) == 0 ? random.Next(all.Length + 5) : 0;
        int take = random.Next(3) == 0 ? int.MaxValue : random.Next(50);
        long[] expected = [.. all.Skip(skip).Take(take)];
        int walked = 0;
        foreach (var choice in (OrderChoice[])[OrderChoice.Cheapest, OrderChoice.Columns, OrderChoice.Terms])
        {
            var request = new SearchRequest
            {
                Query = query,
                Order = orders,
                Skip = skip,
                Take = take,
            };
            using var result = reader.Search(request, choice);
            Assert.Equal(all.Length, result.Total);
            Assert.Equal(expected, ReadAll(result, random.Next(1, 60)));
            walked += result.Explain().Contains("by the field's terms", StringComparison.Ordinal) ? 1 : 0;
            RequireSameResumed(reader, request with { Skip = 0, Take = long.MaxValue }, choice, all, random);
        }
        return walked;
    }

    /// <summary>Any place to resume behind gives what follows it.</summary>
    private static void RequireSameResumed(SearchReader reader, SearchRequest request, OrderChoice choice, long[] all, Random random)
    {
        if (all.Length == 0)
            return;
        int read = random.Next(1, all.Length + 1);
        using var first = reader.Search(request with { Take = read }, choice);
        Assert.Equal(all[..read], ReadAll(first, read));
        using var rest = reader.Search(request with { After = first.Position }, choice);
        Assert.Equal(all.Length, rest.Total);
        Assert.Equal(all[read..], ReadAll(rest, 1000));
    }

    private static long[] ReadAll(SearchResult result, int step)
    {
        var all = new List<long>();
        var some = new long[step];
        for (int filled; (filled = result.Read(some)) > 0; )
            all.AddRange(some[..filled]);
        return [.. all];
    }
}

using FsCheck;
using FsCheck.Fluent;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Tests.Entries;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Each match, read and filtering in all ways, beside the list of its entries.</summary>
[Trait("Category", "Slow")]
public sealed class MatchTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void A_match_can_be_read_sought_rewound_and_filter_others(int round, bool isSingle)
    {
        var kinds = Check(round, isSingle, RandomQueries.All, isSingle ? 120 : 250);
        Assert.True(kinds.Count >= 7);
    }

    [Fact]
    public void A_phrase_can_be_read_sought_rewound_and_filter_others()
    {
        var kinds = Check(2, isSingle: false, RandomQueries.OfPhrases, 400);
        Assert.Contains(nameof(PhraseMatch), kinds);
    }

    private HashSet<string> Check(int round, bool isSingle, Arbitrary<SearchQuery> queries, int count)
    {
        int seed = Seeds.Of(300 + round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var model = new IndexModel();
        using var scene = new IndexScene();
        var single = new SingleEntries(random);
        var several = new RandomEntries(random);
        // So many that ids take several windows of an or.
        for (int i = 0; i < (isSingle ? 40_000 : 1500); i++)
            model.Put(scene.Batch, "docs/" + random.Next(100_000), isSingle ? [single.One()] : several.Some());
        scene.Commit();
        using var reader = scene.Read();
        var naive = new NaiveIndex(model, reader);
        var kinds = new HashSet<string>();
        Prop.ForAll(
                queries,
                query =>
                {
                    using var run = new QueryRun(new IndexView(reader.Transaction), default);
                    using var match = new MatchCompiler(run).Compile(query);
                    kinds.Add(match.GetType().Name);
                    RequireSame(match, naive.Find(query), naive.Ids, random);
                }
            )
            .Check(Config.QuickThrowOnFailure.WithMaxTest(count).WithReplay((ulong)seed, 1));
        output.WriteLine(string.Join(", ", kinds));
        return kinds;
    }

    private static void RequireSame(Match match, long[] expected, long[] all, Random random)
    {
        Assert.True(match.Count >= expected.Length);
        Assert.True(!match.IsExact || match.Count == expected.Length);
        for (int i = 0; i < 3; i++)
        {
            RequireSameRead(match, expected, all, random);
            match.Rewind();
            match.Expect(random.Next(2) == 0 ? 1 : all.Length);
            RequireSameFilter(match, expected, all, random);
            match.Rewind();
        }
    }

    private static void RequireSameRead(Match match, long[] expected, long[] all, Random random)
    {
        var ids = new long[Match.BlockIds + random.Next(300)];
        int at = 0;
        for (; ; )
        {
            if (random.Next(3) == 0)
            {
                long id = random.NextInt64(all[^1] + 10);
                match.SeekTo(id);
                at = Math.Max(at, Array.FindIndex(expected, x => x >= id) is >= 0 and var found ? found : expected.Length);
            }
            int filled = match.Fill(ids);
            Assert.Equal(expected.Skip(at).Take(filled), ids.Take(filled));
            at += filled;
            if (filled > 0)
                continue;
            Assert.Equal(expected.Length, at);
            return;
        }
    }

    private static void RequireSameFilter(Match match, long[] expected, long[] all, Random random)
    {
        int step = random.Next(3) switch
        {
            0 => 1,
            1 => random.Next(1, 20),
            _ => random.Next(1, 900),
        };
        step = Math.Max(step, all.Length / 300);
        bool retains = random.Next(2) == 0;
        var fitting = expected.ToHashSet();
        for (int at = 0; at < all.Length; at += random.Next(step, 3 * step))
        {
            long[] some = [.. all.Skip(at).Take(step)];
            long[] wanted = [.. some.Where(id => fitting.Contains(id) == retains)];
            int kept = retains ? match.Retain(some) : match.Exclude(some);
            Assert.Equal(wanted, some[..kept]);
        }
    }
}

using Jackdaw.Search.Postings;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Postings;

public sealed class SortedIdsTests(ITestOutputHelper output)
{
    private delegate int Intersecting(Span<long> ids, ReadOnlySpan<long> others);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Lists_of_all_sorts_are_intersected_and_taken_from_each_other(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        for (int i = 0; i < 1500; i++)
        {
            var (ids, others) = (Some(random), Some(random));
            long[] both = [.. ids.Intersect(others)];
            Assert.Equal(both, Of(SortedIds.Intersect, ids, others));
            Assert.Equal(both, Of(SortedIds.IntersectPlain, ids, others));
            Assert.Equal(both, Of(SortedIds.IntersectGalloping, ids, others));
            Assert.Equal(both, Of(SortedIds.Intersect256, ids, others));
            Assert.Equal(both, Of(SortedIds.Intersect512, ids, others));
            Assert.Equal(ids.Except(others), Of(SortedIds.Except, ids, others));
            long id = random.NextInt64(0, 5000);
            Assert.Equal(ids.Count(x => x < id), SortedIds.LowerBound(ids, id));
            Assert.Equal(ids.Count(x => x < id), SortedIds.Gallop(ids, id));
        }
    }

    private static long[] Of(Intersecting operation, long[] ids, long[] others)
    {
        var copy = ids.ToArray();
        return copy[..operation(copy, others)];
    }

    private static long[] Some(Random random)
    {
        int count = random.Next(4) == 0 ? random.Next(600) : random.Next(40);
        long range = random.Next(3) switch
        {
            0 => count + 10,
            1 => 3 * count + 20,
            _ => 5000,
        };
        return [.. Enumerable.Range(0, count).Select(_ => random.NextInt64(1, range)).Distinct().Order()];
    }
}

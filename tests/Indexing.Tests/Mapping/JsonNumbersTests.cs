using System.Numerics;
using System.Text;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>Integers as indexes compare them: in order, also where doubles are far apart.</summary>
public class JsonNumbersTests(ITestOutputHelper output)
{
    [Fact]
    public void Integers_up_to_2_to_the_69th_are_told_apart_and_larger_ones_stay_in_order()
    {
        int seed = TestSeed.Next();
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var numbers = new List<(BigInteger Exact, SearchNumber Number)>();
        for (int bits = 50; bits < 90; bits++)
        {
            for (int i = 0; i < 60; i++)
            {
                // Around doubles, where a difference is small and yet others are larger than it can be.
                var near = (BigInteger)(double)(BigInteger.Pow(2, bits) + random.NextInt64(1L << 40));
                var exact = (near + random.Next(-70_000, 70_000)) * (random.Next(2) == 0 ? 1 : -1);
                Assert.True(JsonNumbers.TryParse(Encoding.ASCII.GetBytes(exact.ToString()), out var number, out bool isBeyond));
                Assert.False(isBeyond);
                numbers.Add((exact, number));
            }
        }
        numbers.Sort((a, b) => a.Exact.CompareTo(b.Exact));
        var limit = BigInteger.Pow(2, 69);
        for (int i = 1; i < numbers.Count; i++)
        {
            var (before, after) = (numbers[i - 1], numbers[i]);
            int order = Compare(before.Number, after.Number);
            bool isTold = before.Exact == after.Exact || BigInteger.Abs(before.Exact) >= limit || BigInteger.Abs(after.Exact) >= limit;
            Assert.True(isTold ? order <= 0 : order < 0, $"{before.Exact} and {after.Exact}: {before.Number}, {after.Number}");
        }
    }

    private static int Compare(SearchNumber one, SearchNumber other) =>
        ((BigInteger)one.Value + one.Remainder).CompareTo((BigInteger)other.Value + other.Remainder);
}

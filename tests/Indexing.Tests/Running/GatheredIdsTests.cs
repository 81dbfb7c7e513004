using System.Text;
using Jackdaw.Indexing.Running;
using Xunit;

namespace Jackdaw.Indexing.Tests.Running;

public sealed class GatheredIdsTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Ids_come_back_in_their_order_and_cost_two_bytes_beside_their_own(int seed)
    {
        var random = new Random(seed);
        // Some seeds fill chunks to the last byte: ids of 30 bytes take 32.
        var expected = Enumerable.Range(0, 20_000).Select(i => $"{i:D5}{new string('x', seed == 0 ? 25 : random.Next(508))}").ToList();
        var ids = new GatheredIds();
        foreach (string id in expected)
            ids.Add(Encoding.UTF8.GetBytes(id));

        Assert.Equal(expected.Count, ids.Count);
        var taken = new List<string>();
        while (ids.TryTake(out var id))
            taken.Add(Encoding.UTF8.GetString(id));
        Assert.Equal(expected, taken);
        Assert.False(ids.TryTake(out _));
        long own = expected.Sum(id => id.Length + 2);
        Assert.InRange(ids.Bytes, own, own + (own / 50) + (64 << 10));
    }

    [Fact]
    public void Nothing_comes_out_of_an_empty_list() => Assert.False(new GatheredIds().TryTake(out _));
}

using System.Runtime.InteropServices;
using System.Text;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

public sealed class LookingUpTogetherTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(40)]
    [InlineData(3_000)]
    [InlineData(60_000)]
    public void Keys_that_are_looked_up_together_have_the_values_that_each_has_alone(int entries)
    {
        var random = new Random(entries);
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (int i = 0; i < entries; i++)
        {
            // Some are too long for a leaf.
            byte[] value = new byte[random.Next(100) == 0 ? random.Next(20_000) : random.Next(40)];
            random.NextBytes(value);
            tree.Put(Key(i), value);
        }
        for (int round = 0; round < 200; round++)
        {
            int count = random.Next(BTree.MaxTogether + 1);
            byte[][] keys = [.. Enumerable.Range(0, count).Select(_ => random.Next(10) == 0 ? [] : Key(random.Next(2 * entries + 2)))];
            RequireSame(tree, keys);
        }
    }

    [Theory]
    [InlineData(KeyPattern.Random)]
    [InlineData(KeyPattern.Ascending)]
    [InlineData(KeyPattern.Clustered)]
    [InlineData(KeyPattern.Zeros)]
    [InlineData(KeyPattern.DecimalIds)]
    [InlineData(KeyPattern.IdsOfDigitsAndLetters)]
    public void Keys_of_every_kind_are_found_together_as_they_are_alone(KeyPattern pattern)
    {
        const int Entries = 20_000;
        var random = new Random((int)pattern);
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (int i = 0; i < Entries; i++)
            tree.Put(pattern.Next(random.Next(Entries), random), BitConverter.GetBytes(i));
        for (int round = 0; round < 200; round++)
        {
            byte[][] keys = [.. Enumerable.Range(0, BTree.MaxTogether).Select(_ => pattern.Next(random.Next(-9, 2 * Entries), random))];
            RequireSame(tree, keys);
        }
    }

    private static void RequireSame(BTree tree, byte[][] keys)
    {
        GCHandle[] pins = [.. keys.Select(key => GCHandle.Alloc(key, GCHandleType.Pinned))];
        var values = new PageBytes[keys.Length];
        Array.Fill(values, PageBytes.Of("left over"u8));
        tree.TryGetTogether([.. keys.Select(key => PageBytes.Of(key))], values);
        for (int i = 0; i < keys.Length; i++)
        {
            bool isThere = keys[i].Length > 0 & tree.TryGet(keys[i], out var alone);
            Assert.Equal(isThere, values[i].IsThere);
            Assert.True(alone.SequenceEqual(values[i].Span), $"key {Encoding.UTF8.GetString(keys[i])}");
        }
        foreach (var pin in pins)
            pin.Free();
    }

    /// <summary>Keys with long common beginnings, some of them shorter than a slot's head.</summary>
    private static byte[] Key(int number) =>
        Encoding.UTF8.GetBytes(number % 7 == 0 ? $"{number}" : $"orders/{number / 1000:D5}/{number:D9}");
}

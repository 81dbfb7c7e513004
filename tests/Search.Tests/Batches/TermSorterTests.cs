using Jackdaw.Search.Batches;
using Jackdaw.Search.Dictionary;
using Jackdaw.Storage.Memory;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Batches;

public sealed class TermSorterTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Terms_sort_by_field_and_tree_and_the_bytes_of_their_keys(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var scene = new IndexScene();
        using var arena = new NativeArena("test");
        using var content = new BatchContent(arena, scene.Index.Fields, 42);
        using var sorter = new TermSorter(content, arena);
        var keys = new Dictionary<string, (ushort Field, TermKind Kind, byte[] Key)>();
        for (int i = 0; i < 5_000; i++)
        {
            var field = (ushort)random.Next(1, 4);
            var kind = (TermKind)random.Next(3);
            byte[] key = kind switch
            {
                TermKind.Number => NumberOf(random),
                TermKind.Mark => TextKey.Of((TermMark)random.Next(1, 4)).ToArray(),
                _ => [1, .. TextOf(random)],
            };
            int known = content.Terms.Count;
            bool isNew = keys.TryAdd($"{field} {kind} {Convert.ToHexString(key)}", (field, kind, key));
            int term = content.Terms.Intern(field, kind, key);
            Assert.Equal(isNew, term == known);
        }
        sorter.Begin();
        for (int i = 0; i < content.Terms.Count; i++)
            sorter.Add(i);
        sorter.Sort();
        var sorted = sorter
            .Sorted.ToArray()
            .Select(term => (content.Terms[term].Field, content.Terms[term].Kind, content.Terms.KeyOf(term).ToArray()));
        var expected = keys
            .Values.OrderBy(term => term.Field)
            .ThenBy(term => term.Kind == TermKind.Number)
            .ThenBy(term => term.Key, Comparer<byte[]>.Create((a, b) => a.AsSpan().SequenceCompareTo(b)));
        Assert.Equal(expected, sorted);
    }

    private static byte[] NumberOf(Random random)
    {
        var key = new byte[NumberKey.MaxBytes];
        long value = random.Next(2) == 0 ? (1L << 60) + random.Next(600) : random.Next(1_000);
        double nearest = value;
        return key[..NumberKey.Write(new SearchNumber(nearest, (short)(value - (long)nearest)), key)];
    }

    /// <summary>Much in common, zeros at the end, ends anywhere.</summary>
    private static byte[] TextOf(Random random)
    {
        var text = new byte[random.Next(30)];
        for (int i = 0; i < text.Length; i++)
            text[i] = (byte)(
                random.Next(8) == 0 ? random.Next(3)
                : i < 14 ? 'a'
                : 0
            );
        return text;
    }
}

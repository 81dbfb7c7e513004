using System.Numerics;
using System.Text;
using Jackdaw.Search.Dictionary;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Dictionary;

public sealed class KeyTests(ITestOutputHelper output)
{
    [Fact]
    public void Number_keys_sort_as_numbers_do_and_read_back()
    {
        int seed = Seeds.Of(0);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var numbers = new List<SearchNumber>
        {
            new(0),
            new(double.MaxValue),
            new(double.MinValue),
            new(double.Epsilon),
            new(-double.Epsilon),
            Integer(long.MaxValue),
            Integer(long.MinValue),
        };
        for (int i = 0; i < 3_000; i++)
        {
            numbers.Add(Integer((long.MaxValue >> random.Next(12)) - random.Next(3_000)));
            numbers.Add(Integer(-(1L << random.Next(52, 63)) + random.Next(-40, 40)));
            numbers.Add(new SearchNumber((random.NextDouble() - 0.5) * Math.Pow(10, random.Next(-300, 300))));
            numbers.Add(Integer(random.Next(-50, 50)));
        }
        byte[][] keys = [.. numbers.Select(Key)];
        for (int i = 0; i < 20_000; i++)
        {
            int a = random.Next(numbers.Count);
            int b = i % 2 == 0 ? random.Next(numbers.Count) : Math.Min(a + 1, numbers.Count - 1);
            int expected = Compare(numbers[a], numbers[b]);
            Assert.Equal(expected, Math.Sign(keys[a].AsSpan().SequenceCompareTo(keys[b])));
        }
        Assert.All(keys, key => Assert.Null(NumberKey.ProblemOf(key)));
        for (int i = 0; i < numbers.Count; i++)
        {
            if (Math.Abs(numbers[i].Value) < 1e19 && numbers[i].Value == Math.Truncate(numbers[i].Value))
                Assert.Equal((new BigInteger(numbers[i].Value) + numbers[i].Remainder).ToString(), NumberKey.ToText(keys[i]));
        }
    }

    [Fact]
    public void Impossible_number_keys_are_told()
    {
        Assert.NotNull(NumberKey.ProblemOf([1, 2, 3]));
        Assert.NotNull(NumberKey.ProblemOf(new byte[8])); // a NaN
        Assert.NotNull(NumberKey.ProblemOf([.. Key(new SearchNumber(1.5)), 0, 1]));
        Assert.NotNull(NumberKey.ProblemOf([.. Key(new SearchNumber(9007199254740992)), 0, 0]));
        Assert.NotNull(NumberKey.ProblemOf([.. Key(new SearchNumber(9007199254740992)), 0, 2]));
        Assert.Null(NumberKey.ProblemOf([.. Key(new SearchNumber(9007199254740992)), 0, 1]));
    }

    [Fact]
    public void Marks_come_before_texts_and_texts_that_are_cut_behind_them()
    {
        byte[] last = Text(new string('\uFFFD', 170));
        Assert.True(TextKey.Of(TermMark.Exists).SequenceCompareTo(Text("")) < 0);
        Assert.True(last.AsSpan().SequenceCompareTo(Text(new string('a', 513))) < 0);
        Assert.All(new[] { "", "a", new string('a', 512), new string('a', 513) }, text => Assert.Null(TextKey.ProblemOf(Text(text))));
        Assert.Equal(512, TextKey.TermOf(Text(new string('a', 512))).Length);
        Assert.Equal(SearchLimits.CutTermPrefixBytes, TextKey.TermOf(Text(new string('a', 513))).Length);
    }

    [Fact]
    public void Two_long_terms_with_one_beginning_have_different_keys() =>
        Assert.NotEqual(Text(new string('a', 600) + "x"), Text(new string('a', 600) + "y"));

    private static int Compare(SearchNumber a, SearchNumber b) =>
        a.Value != b.Value && (a.Remainder == 0 && b.Remainder == 0 || Math.Abs(a.Value - b.Value) > 1e5) ? a.Value.CompareTo(b.Value)
        : (new BigInteger(a.Value) + a.Remainder).CompareTo(new BigInteger(b.Value) + b.Remainder) is var whole && whole != 0
            ? Math.Sign(whole)
        : a.Value.CompareTo(b.Value);

    private static SearchNumber Integer(long value)
    {
        double nearest = value;
        return new SearchNumber(nearest, (short)((Int128)value - (Int128)nearest));
    }

    private static byte[] Key(SearchNumber number)
    {
        var key = new byte[NumberKey.MaxBytes];
        return key[..NumberKey.Write(number, key)];
    }

    private static byte[] Text(string term)
    {
        var key = new byte[TextKey.MaxBytes];
        return key[..TextKey.Write(Encoding.UTF8.GetBytes(term), key)];
    }
}

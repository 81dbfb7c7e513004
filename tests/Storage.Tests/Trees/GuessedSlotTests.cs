using System.Text;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

public sealed class GuessedSlotTests
{
    [Theory]
    [InlineData(KeyPattern.Random)]
    [InlineData(KeyPattern.Ascending)]
    [InlineData(KeyPattern.Clustered)]
    [InlineData(KeyPattern.LongSharedPrefix)]
    [InlineData(KeyPattern.Nested)]
    [InlineData(KeyPattern.Zeros)]
    [InlineData(KeyPattern.DecimalIds)]
    [InlineData(KeyPattern.IdsOfDigitsAndLetters)]
    public void A_search_that_begins_at_any_slot_ends_where_a_binary_search_ends(KeyPattern pattern)
    {
        var random = new Random((int)pattern);
        for (int round = 0; round < 30; round++)
        {
            using var writer = HeapStore.SingleWriter();
            int highest = random.Next(2, 20_000);
            var leaf = Leaf(
                writer.Catalog.OpenTree("t"),
                random.Next(2) == 0 ? random.Next(1, 100) : 5_000,
                () => pattern.Next(random.Next(highest), random)
            );
            for (int look = 0; look < 60; look++)
            {
                byte[] key = pattern.Next(random.Next(2 * highest), random);
                int first = random.Next(Math.Min(2, leaf.Count));
                int expected = leaf.LowerBound(key, first, out bool expectedExact);
                int guess = leaf.Guess(key, first);
                Assert.True(guess == TreePage.NoGuess || (guess >= first && guess < leaf.Count), $"{guess} of {leaf.Count}");
                foreach (int from in (int[])[guess, TreePage.NoGuess, first, leaf.Count - 1, random.Next(first, leaf.Count)])
                {
                    Assert.Equal(expected, leaf.LowerBoundNear(key, first, from, out bool exact));
                    Assert.Equal(expectedExact, exact);
                }
            }
        }
    }

    [Fact]
    public void The_place_of_a_number_among_numbers_without_gaps_is_guessed_exactly()
    {
        using var writer = HeapStore.SingleWriter();
        int next = 70_000;
        var leaf = Leaf(writer.Catalog.OpenTree("t"), 5_000, () => KeyPattern.Ascending.Next(next++, new Random(1)));
        Assert.True(leaf.Count > 200);
        for (int number = 70_000; number < 70_000 + leaf.Count; number++)
            Assert.Equal(number - 70_000, leaf.Guess(KeyPattern.Ascending.Next(number, new Random(1)), first: 0));
    }

    [Fact]
    public void The_place_of_an_id_that_ends_in_a_number_is_guessed_within_a_cache_line()
    {
        using var writer = HeapStore.SingleWriter();
        int next = 123_400;
        var leaf = Leaf(writer.Catalog.OpenTree("t"), 5_000, () => KeyPattern.DecimalIds.Next(next++, new Random(1)));
        Assert.True(leaf.Count > 200);
        for (int number = 123_400; number < 123_400 + leaf.Count; number++)
        {
            byte[] id = Encoding.UTF8.GetBytes($"items/{number}");
            Assert.InRange(leaf.Guess(id, first: 0) - leaf.LowerBound(id, 0, out _), -8, 8);
        }
    }

    /// <summary>The first leaf of a tree with so many keys, or with as many as make it two leaves.</summary>
    private static TreePage Leaf(BTree tree, int keys, Func<byte[]> next)
    {
        for (int i = 0; i < keys && tree.State.Depth < 2; i++)
            tree.Put(next(), [1]);
        long root = tree.State.RootPage;
        return tree.ReadNode(tree.State.Depth == 1 ? root : tree.ReadNode(root, isLeaf: false).Child(0), isLeaf: true);
    }
}

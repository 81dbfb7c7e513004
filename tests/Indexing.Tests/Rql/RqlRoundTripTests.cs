using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Rql;

public class RqlRoundTripTests
{
    [Fact]
    public void Parsing_the_printed_text_of_any_tree_gives_an_equal_tree()
    {
        var seed = TestSeed.Next();
        var random = new RandomRql(new Random(seed));
        for (var i = 0; i < 10_000; i++)
        {
            var tree = random.Query();
            var text = RqlPrinter.Print(tree);
            try
            {
                var again = RqlParser.Parse(text);
                Assert.True(tree.Equals(again), $"Round {i} of JACKDAW_SEED={seed}: not the same tree.\n{text}\n{RqlPrinter.Print(again)}");
                Assert.Equal(tree.GetHashCode(), again.GetHashCode());
            }
            catch (RqlSyntaxException error)
            {
                Assert.Fail($"Round {i} of JACKDAW_SEED={seed}: {error.Message}\n{text}");
            }
        }
    }
}

using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>What is promised of a queue's content, whatever happened.</summary>
internal static class RabbitOracle
{
    /// <summary>
    /// Each of the documents <c>orders/0</c> to <c>orders/count - 1</c> is there; what is there twice has the same id; of each
    /// routing key, what was sent again was sent
    /// in order, and all that follows it too; and new ones only ever follow older ones, unless the broker refused some in between.
    /// </summary>
    /// <returns>How many are there more than once.</returns>
    public static int Check(IReadOnlyList<RabbitMessage> got, int count, bool wereSomeRefused = false)
    {
        var missing = Enumerable
            .Range(0, count)
            .Select(i => $"orders/{i}")
            .Except(got.Select(message => message.Header("cloudEvents:subject")!))
            .ToArray();
        Assert.True(missing.Length == 0, $"{missing.Length} of {count} are missing: {string.Join(", ", missing.Take(10))}");
        Assert.All(
            got.GroupBy(message => message.Etag),
            copies => Assert.Single(copies.Select(copy => (copy.Id, copy.Json.GetRawText())).Distinct())
        );
        foreach (var key in got.GroupBy(message => message.RoutingKey))
        {
            long[] etags = key.Select(message => message.Etag).ToArray();
            long[] lasts = etags.Reverse().Distinct().Reverse().ToArray();
            Assert.Equal(lasts.Order(), lasts);
            if (!wereSomeRefused)
                Assert.Equal(etags.Distinct().Order(), etags.Distinct());
        }
        return got.Count - count;
    }
}

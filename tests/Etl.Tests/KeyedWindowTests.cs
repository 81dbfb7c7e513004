using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class KeyedWindowTests
{
    private static Delivery Delivery(int count, Func<int, string> key) => new(Enumerable.Range(0, count).Select(i => new OutboundMessage
    {
        Target = "t",
        Event = new CloudEvent { Id = $"{i}", Source = "s", Type = "t", Subject = "s", Time = "t", PartitionKey = key(i) },
        Data = default,
        Origin = new ChangeOrigin($"{i}", "C", "v", i + 1, IsDeletion: false),
        Number = 1,
    }).ToArray());

    [Fact]
    public async Task Sends_that_end_at_once_are_settled_each_for_itself()
    {
        var delivery = Delivery(20, i => $"{i}");
        await KeyedWindow.RunAsync(delivery, 8, (message, _) => Task.FromResult(message.Event.Id == "7" ? "Bad." : null));
        Assert.Equal(20, delivery.SettledCount);
        Assert.Equal((7, "Bad."), Assert.Single(delivery.Rejections()));
    }

    [Fact]
    public async Task After_a_fault_nothing_more_is_begun_and_the_graver_fault_is_told()
    {
        var delivery = Delivery(20, i => $"{i}");
        var gate = new TaskCompletionSource();
        var run = KeyedWindow.RunAsync(delivery, 4, async (message, _) =>
        {
            await gate.Task;
            return message.Event.Id switch
            {
                "0" => throw new SinkException(SinkFault.Sink, "sink"),
                "1" => throw new SinkException(SinkFault.Task, "task"),
                _ => null,
            };
        });
        gate.SetResult();
        Assert.Equal(SinkFault.Task, (await Assert.ThrowsAsync<SinkException>(() => run)).Fault);
        Assert.InRange(delivery.SettledCount, 2, 4);
        Assert.False(delivery.IsSettled(0) || delivery.IsSettled(1));
    }

    [Fact]
    public async Task When_it_is_stopped_it_ends_without_a_hole()
    {
        var delivery = Delivery(40, i => i is > 1 and < 8 ? "one" : $"{i}");
        await KeyedWindow.RunAsync(delivery, 4, async (message, _) =>
        {
            await Task.Delay(1);
            if (message.Event.Id == "9")
                delivery.Stop();
            return null;
        });
        Assert.InRange(delivery.SettledCount, 10, 39);
        Assert.Equal(delivery.SettledCount, delivery.SettledPrefix);
    }
}

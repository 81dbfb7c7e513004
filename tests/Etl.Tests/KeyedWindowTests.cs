using System.Globalization;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class KeyedWindowTests
{
    private static Delivery Delivery(int count, Func<int, string> key, Func<int, int>? change = null) =>
        new(
            Enumerable
                .Range(0, count)
                .Select(i => new OutboundMessage
                {
                    Target = "t",
                    Event = new CloudEvent
                    {
                        Id = $"{i}",
                        Source = "s",
                        Type = "t",
                        Subject = "s",
                        Time = "t",
                        PartitionKey = key(i),
                        DatabaseId = null,
                    },
                    Data = default,
                    Origin = new ChangeOrigin($"{i}", "C", "v", (change?.Invoke(i) ?? i) + 1, IsDeletion: false),
                    Number = 1,
                })
                .ToArray()
        );

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
        // A fifth send would have nothing to wait for.
        var sends = Enumerable.Range(0, 4).Select(_ => new TaskCompletionSource<string?>()).ToArray();
        var run = KeyedWindow.RunAsync(delivery, 4, (message, _) => sends[int.Parse(message.Event.Id)].Task);
        sends[0].SetException(new SinkException(SinkFault.Sink, "sink"));
        sends[1].SetException(new SinkException(SinkFault.Task, "task"));
        sends[2].SetResult(null);
        sends[3].SetResult(null);
        Assert.Equal(SinkFault.Task, (await Assert.ThrowsAsync<SinkException>(() => run)).Fault);
        Assert.Equal(2, delivery.SettledCount);
        Assert.False(delivery.IsSettled(0) || delivery.IsSettled(1));
    }

    [Fact]
    public async Task A_change_that_was_begun_is_sent_whole_when_it_is_stopped()
    {
        // Two messages a change, of one key.
        var delivery = Delivery(8, i => $"{i / 2}", i => i / 2);
        await KeyedWindow.RunAsync(
            delivery,
            2,
            async (message, _) =>
            {
                if (message.Event.Id == "2")
                    delivery.Stop();
                await Task.Yield();
                return null;
            }
        );
        Assert.Equal((4, 4), (delivery.SettledCount, delivery.SettledPrefix));
    }

    [Fact]
    public async Task When_it_is_stopped_it_ends_without_a_hole()
    {
        var delivery = Delivery(40, i => i is > 1 and < 8 ? "one" : $"{i}");
        var isStopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await KeyedWindow.RunAsync(
            delivery,
            4,
            async (message, _) =>
            {
                await Task.Delay(1);
                if (message.Event.Id == "9")
                {
                    delivery.Stop();
                    isStopped.SetResult();
                }
                // Or all could be done before the ninth has its turn.
                if (delivery.Messages.Count - int.Parse(message.Event.Id, CultureInfo.InvariantCulture) < 20)
                    await isStopped.Task;
                return null;
            }
        );
        Assert.InRange(delivery.SettledCount, 10, 39);
        Assert.Equal(delivery.SettledCount, delivery.SettledPrefix);
    }
}

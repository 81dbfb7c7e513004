using System.Globalization;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.RabbitMq;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

public class ConfirmWindowTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(50);

    private static Delivery Delivery(int count) =>
        new(
            Enumerable
                .Range(0, count)
                .Select(i => new OutboundMessage
                {
                    Target = "x",
                    Event = new CloudEvent
                    {
                        Id = $"{i}",
                        Source = "s",
                        Type = "t",
                        Subject = "u",
                        Time = "now",
                        PartitionKey = "p",
                        DatabaseId = null,
                    },
                    Data = default,
                    Origin = new ChangeOrigin("d", "c", "v", i + 1, IsDeletion: false),
                    Number = 1,
                })
                .ToArray()
        );

    private static ConfirmWindow Published(Delivery delivery, int capacity = 10)
    {
        var window = new ConfirmWindow(capacity);
        for (int i = 0; i < delivery.Messages.Count; i++)
            Assert.Equal((ulong)i + 1, window.Begin(delivery, i));
        return window;
    }

    [Fact]
    public void What_is_acknowledged_is_settled_when_the_loop_collects_and_not_before()
    {
        var delivery = Delivery(5);
        var window = Published(delivery);
        window.Acknowledge(2, multiple: false);
        window.Acknowledge(4, multiple: false);
        Assert.Equal(0, delivery.SettledCount);
        Assert.Equal((2, false), window.Collect());
        Assert.Equal([0, 2, 4], window.Unanswered().Select(one => one.Index));
        window.Acknowledge(3, multiple: true);
        Assert.Equal((2, false), window.Collect());
        Assert.Equal(4, delivery.SettledPrefix);
        Assert.Equal(1, window.Uncollected);
    }

    [Fact]
    public void What_is_returned_is_rejected_though_it_is_acknowledged_and_what_is_refused_stays_open()
    {
        var delivery = Delivery(4);
        var window = Published(delivery);
        window.Return(2, "nobody wants it");
        window.Refuse(1, multiple: false);
        window.Acknowledge(4, multiple: true);
        Assert.Equal((3, true), window.Collect());
        Assert.Equal([(1, "nobody wants it")], delivery.Rejections());
        Assert.Equal([false, true, true, true], Enumerable.Range(0, 4).Select(delivery.IsSettled));
        Assert.Equal(1, window.RefusedCount);
    }

    [Fact]
    public async Task Waiting_ends_with_room_a_refusal_or_trouble_and_in_the_time_out_when_there_is_no_answer()
    {
        var delivery = Delivery(4);
        var window = Published(delivery);
        await Assert.ThrowsAsync<TimeoutException>(() => window.WaitAsync(1, false, window.Trouble, s_soon, default));
        var room = window.WaitAsync(1, false, window.Trouble, Eventually.Patience, default);
        window.Acknowledge(2, multiple: true);
        Assert.False(room.IsCompleted);
        window.Acknowledge(4, multiple: false);
        // The third is still first: the span counts, not the number.
        Assert.False(room.IsCompleted);
        window.Acknowledge(3, multiple: false);
        await room.WaitAsync(Eventually.Patience);

        window = Published(Delivery(4));
        var refused = window.WaitAsync(0, false, window.Trouble, Eventually.Patience, default);
        var through = window.WaitAsync(0, true, window.Trouble, TimeSpan.FromMilliseconds(200), default);
        await Assert.ThrowsAsync<TimeoutException>(() => through);
        window.Refuse(1, multiple: false);
        await window.WaitAsync(0, false, window.Trouble, Eventually.Patience, default).WaitAsync(Eventually.Patience);
        window.Disturb();
        await refused.WaitAsync(Eventually.Patience);
        await window.WaitAsync(0, true, window.Trouble, Eventually.Patience, default).WaitAsync(Eventually.Patience);
        window.Calm();
        await Assert.ThrowsAsync<TimeoutException>(() => window.WaitAsync(0, true, window.Trouble, s_soon, default));
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            window.WaitAsync(0, true, window.Trouble, Eventually.Patience, cancelled.Token)
        );
    }

    [Fact]
    public async Task Waiting_for_one_delivery_does_not_wait_for_what_was_published_behind_it_and_ends_when_there_is_more()
    {
        var (first, second) = (Delivery(3), Delivery(2));
        var window = new ConfirmWindow(10);
        Assert.Equal(-1, window.CountBehind(first));
        foreach (var delivery in new[] { first, second })
        {
            for (int i = 0; i < delivery.Messages.Count; i++)
                window.Begin(delivery, i);
        }
        Assert.Equal((2, 0), (window.CountBehind(first), window.CountBehind(second)));
        var waiting = window.WaitAsync(window.CountBehind(first), false, second.Followed, Eventually.Patience, default);
        window.Acknowledge(2, multiple: true);
        Assert.False(waiting.IsCompleted);
        window.Acknowledge(3, multiple: false);
        await waiting.WaitAsync(Eventually.Patience);
        Assert.Equal((3, false), window.Collect());
        Assert.Equal((-1, 0), (window.CountBehind(first), window.CountBehind(second)));
        waiting = window.WaitAsync(0, false, second.Followed, Eventually.Patience, default);
        Assert.False(waiting.IsCompleted);
        second.Next = first;
        await waiting.WaitAsync(Eventually.Patience);
    }

    [Fact]
    public void Any_order_of_answers_settles_exactly_what_was_answered()
    {
        int seed = int.Parse(
            Environment.GetEnvironmentVariable("RABBIT_SEED") ?? $"{Random.Shared.Next(1_000_000)}",
            CultureInfo.InvariantCulture
        );
        var random = new Random(seed);
        for (int round = 0; round < 300; round++)
        {
            int capacity = random.Next(1, 9);
            var delivery = Delivery(40);
            var window = new ConfirmWindow(capacity);
            var open = new SortedSet<int>();
            var expected = new string?[40];
            for (int next = 0; next < 40 || open.Count > 0; )
            {
                if (next < 40 && window.Uncollected < capacity && random.Next(2) == 0)
                {
                    window.Begin(delivery, next);
                    open.Add(next++);
                }
                else if (open.Count > 0)
                {
                    int index = open.ElementAt(random.Next(open.Count));
                    bool isMultiple = random.Next(3) == 0,
                        isRefused = random.Next(4) == 0;
                    if (random.Next(5) == 0)
                    {
                        window.Return((ulong)index + 1, "returned");
                        expected[index] = "returned";
                    }
                    foreach (int answered in open.Where(i => isMultiple ? i <= index : i == index).ToArray())
                    {
                        expected[answered] = isRefused ? "open" : expected[answered] ?? "confirmed";
                        open.Remove(answered);
                    }
                    if (isRefused)
                        window.Refuse((ulong)index + 1, isMultiple);
                    else
                        window.Acknowledge((ulong)index + 1, isMultiple);
                }
                if (random.Next(3) == 0)
                    window.Collect();
            }
            window.Collect();
            var returned = delivery.Rejections().Select(rejection => rejection.Index).ToHashSet();
            var actual = Enumerable
                .Range(0, 40)
                .Select(i =>
                    !delivery.IsSettled(i) ? "open"
                    : returned.Contains(i) ? "returned"
                    : "confirmed"
                );
            Assert.True(expected.SequenceEqual(actual), $"RABBIT_SEED={seed}, round {round}");
            Assert.Equal(0, window.Uncollected);
        }
    }
}

using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

public class IndexTurnsTests
{
    [Fact]
    public async Task Those_of_high_priority_come_first_and_no_priority_starves()
    {
        using var turns = new IndexTurns(1, TimeProvider.System);
        var order = new List<IndexPriority>();
        using var isFree = new ManualResetEventSlim();
        var blocking = new IndexTurn(
            turns,
            () =>
            {
                isFree.Wait();
                return TurnRest.Rest;
            }
        );
        blocking.Wake();
        var all = new List<IndexTurn>();
        foreach (var priority in new[] { IndexPriority.Low, IndexPriority.Normal, IndexPriority.High })
        {
            for (int i = 0; i < 3; i++)
            {
                int left = 20;
                var turn = new IndexTurn(
                    turns,
                    () =>
                    {
                        order.Add(priority);
                        return --left > 0 ? TurnRest.Again : TurnRest.Rest;
                    }
                )
                {
                    Priority = priority,
                };
                turn.Wake();
                all.Add(turn);
            }
        }
        isFree.Set();
        await Eventually.IsAsync(() => turns.Begun >= 1 + (9 * 20));
        foreach (var turn in all)
            await turn.HoldAsync();
        var first = order.Take(40).ToArray();
        Assert.Equal(IndexPriority.High, first[0]);
        Assert.True(first.Count(p => p == IndexPriority.High) >= 28, string.Join(" ", first));
        Assert.True(first.Count(p => p == IndexPriority.Normal) >= 3, string.Join(" ", first));
        // One of low priority in each ten.
        for (int i = 0; i < 4; i++)
            Assert.Contains(IndexPriority.Low, order.Skip(10 * i).Take(11));
        Assert.Equal(180, order.Count);
    }

    [Fact]
    public async Task Those_of_one_priority_take_turns()
    {
        using var turns = new IndexTurns(1, TimeProvider.System);
        var order = new List<int>();
        using var isFree = new ManualResetEventSlim();
        new IndexTurn(
            turns,
            () =>
            {
                isFree.Wait();
                return TurnRest.Rest;
            }
        ).Wake();
        for (int i = 0; i < 4; i++)
        {
            int number = i;
            int left = 5;
            new IndexTurn(
                turns,
                () =>
                {
                    order.Add(number);
                    return --left > 0 ? TurnRest.Again : TurnRest.Rest;
                }
            ).Wake();
        }
        isFree.Set();
        await Eventually.IsAsync(() => turns.Begun >= 21);
        turns.Dispose();
        Assert.Equal(Enumerable.Range(0, 20).Select(i => i % 4), order);
    }

    [Fact]
    public async Task An_index_runs_on_one_thread_at_a_time_and_a_wake_is_never_lost()
    {
        using var turns = new IndexTurns(4, TimeProvider.System);
        int running = 0;
        int seen = 0;
        int wanted = 0;
        var turn = new IndexTurn(
            turns,
            () =>
            {
                Assert.Equal(1, Interlocked.Increment(ref running));
                Volatile.Write(ref seen, Volatile.Read(ref wanted));
                Interlocked.Decrement(ref running);
                return TurnRest.Rest;
            }
        );
        await Task.WhenAll(
            Enumerable
                .Range(0, 4)
                .Select(_ =>
                    Task.Run(() =>
                    {
                        for (int i = 0; i < 5000; i++)
                        {
                            Interlocked.Increment(ref wanted);
                            turn.Wake();
                        }
                    })
                )
        );
        await Eventually.IsAsync(() => Volatile.Read(ref seen) == 20_000);
    }

    [Fact]
    public async Task A_held_index_does_not_run_and_catches_up_with_its_wakes_when_released()
    {
        using var turns = new IndexTurns(1, TimeProvider.System);
        int runs = 0;
        var turn = new IndexTurn(
            turns,
            () =>
            {
                runs++;
                return TurnRest.Rest;
            }
        );
        await turn.HoldAsync();
        turn.Wake();
        await Task.Delay(20);
        Assert.Equal(0, runs);
        turn.Release();
        await Eventually.IsAsync(() => turns.Begun == 1);
    }

    [Fact]
    public async Task A_pause_ends_by_itself_and_is_not_shortened_by_a_wake()
    {
        using var turns = new IndexTurns(1, TimeProvider.System);
        int runs = 0;
        var turn = new IndexTurn(
            turns,
            () => Interlocked.Increment(ref runs) == 1 ? new TurnRest(TimeSpan.FromMilliseconds(200)) : TurnRest.Rest
        );
        long began = Environment.TickCount64;
        turn.Wake();
        await Eventually.IsAsync(() => Volatile.Read(ref runs) == 1);
        turn.Wake();
        await Eventually.IsAsync(() => Volatile.Read(ref runs) == 2);
        Assert.True(Environment.TickCount64 - began >= 150);
    }
}

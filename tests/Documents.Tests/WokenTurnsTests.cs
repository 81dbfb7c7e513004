using Jackdaw.Documents.Watching;
using Jackdaw.Tests;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>Turns of consumers that are woken.</summary>
public sealed class WokenTurnsTests
{
    [Fact]
    public async Task Whoever_is_woken_in_the_middle_of_a_turn_has_another_one()
    {
        int turns = 0;
        using var began = new SemaphoreSlim(0);
        using var goesOn = new SemaphoreSlim(0);
        var woken = new WokenTurns(() =>
        {
            Interlocked.Increment(ref turns);
            began.Release();
            goesOn.Wait();
            return false;
        });
        woken.Wake();
        Assert.True(await began.WaitAsync(Eventually.Patience));
        woken.Wake();
        woken.Wake();
        goesOn.Release(10);

        Assert.True(await began.WaitAsync(Eventually.Patience), "the wake in the middle of the turn was lost");
        await Task.Delay(100);
        Assert.Equal(2, turns);
    }

    [Fact]
    public async Task A_turn_that_left_something_is_followed_by_another_and_one_at_a_time_runs()
    {
        int turns = 0;
        int running = 0;
        var ended = new TaskCompletionSource();
        WokenTurns? woken = null;
        woken = new WokenTurns(() =>
        {
            if (Interlocked.Increment(ref running) != 1)
                ended.TrySetException(new InvalidOperationException("two turns ran at once"));
            woken!.Wake();
            Interlocked.Decrement(ref running);
            if (++turns == 1000)
                ended.TrySetResult();
            return turns < 1000;
        });
        woken.Wake();

        await ended.Task.WaitAsync(Eventually.Patience);
        woken.Stop();
    }

    [Fact]
    public async Task No_turn_begins_after_the_stop()
    {
        int turns = 0;
        var woken = new WokenTurns(() =>
        {
            Interlocked.Increment(ref turns);
            return true;
        });
        woken.Wake();
        await Eventually.IsAsync(() => Volatile.Read(ref turns) > 0);
        woken.Stop();
        await Eventually.IsAsync(async () =>
        {
            int before = Volatile.Read(ref turns);
            await Task.Delay(20);
            return before == Volatile.Read(ref turns);
        });
        woken.Wake();
        int stopped = turns;
        await Task.Delay(50);
        Assert.Equal(stopped, turns);
    }
}

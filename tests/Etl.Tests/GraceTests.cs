using Jackdaw.Etl.Running;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class GraceTests
{
    [Fact]
    public async Task A_machine_that_stands_still_in_the_middle_of_an_orderly_end_uses_up_two_parts_of_its_grace_at_most()
    {
        var clock = new HandDrivenTimer();
        using var giveUp = new CancellationTokenSource();
        await using var grace = new Grace(TimeSpan.FromSeconds(5), clock, giveUp);
        Assert.Equal((TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.5)), (clock.DueTime, clock.Period));
        // However long it stood, a timer that repeats comes twice in a row.
        clock.Fire();
        clock.Fire();
        for (int i = 2; i < Grace.Parts; i++)
        {
            Assert.False(giveUp.IsCancellationRequested);
            clock.Fire();
        }
        Assert.True(giveUp.IsCancellationRequested);
        // It may come once more while it is being stopped.
        clock.Fire();
    }

    [Fact]
    public async Task It_ends_by_itself_and_not_after_it_was_disposed()
    {
        using var patient = new CancellationTokenSource();
        await new Grace(TimeSpan.FromMilliseconds(10), TimeProvider.System, patient).DisposeAsync();
        using var giveUp = new CancellationTokenSource();
        await using var grace = new Grace(TimeSpan.FromMilliseconds(20), TimeProvider.System, giveUp);
        await Eventually.IsAsync(() => giveUp.IsCancellationRequested);
        Assert.False(patient.IsCancellationRequested);
    }

    /// <summary>A clock whose only timer comes when the test says so.</summary>
    private sealed class HandDrivenTimer : TimeProvider, ITimer
    {
        private TimerCallback? _callback;
        private object? _state;

        public TimeSpan DueTime { get; private set; }

        public TimeSpan Period { get; private set; }

        public void Fire() => _callback!(_state);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            (_callback, _state, DueTime, Period) = (callback, state, dueTime, period);
            return this;
        }

        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose() { }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

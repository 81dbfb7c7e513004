using Jackdaw.Server.Endpoints.EventStreams.Live;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>What live readers may take while others write.</summary>
public sealed class LiveBudgetTests
{
    private static readonly TimeSpan s_saved = TimeSpan.FromMilliseconds(5);

    [Fact]
    public void Readers_that_rest_as_they_are_told_take_no_more_than_their_share()
    {
        var clock = new ManualClock();
        var began = clock.GetTimestamp();
        var budget = new LiveBudget(clock, share: 0.25, s_saved);
        var random = new Random(1);
        var worked = TimeSpan.Zero;
        for (var turn = 0; turn < 10_000; turn++)
        {
            clock.Advance(budget.Rest);
            var work = TimeSpan.FromMicroseconds(random.Next(1, 300));
            clock.Advance(work);
            budget.Spend(work);
            worked += work;
        }
        var passed = clock.GetElapsedTime(began);

        Assert.InRange(worked / passed, 0.24, 0.26);
    }

    [Fact]
    public void Who_has_done_nothing_for_long_does_not_rest_before_what_was_saved_is_spent()
    {
        var clock = new ManualClock();
        var budget = new LiveBudget(clock, share: 0.25, s_saved);
        clock.Advance(TimeSpan.FromHours(1));

        budget.Spend(s_saved);
        Assert.Equal(TimeSpan.Zero, budget.Rest);
        budget.Spend(TimeSpan.FromMilliseconds(1));
        Assert.Equal(TimeSpan.FromMilliseconds(4), budget.Rest);
        clock.Advance(TimeSpan.FromMilliseconds(4));
        Assert.Equal(TimeSpan.Zero, budget.Rest);
    }
}

namespace Jackdaw.Server.Tests.Serving;

/// <summary>Time that passes by being looked at: each look at a timestamp takes as long as the test says.</summary>
internal sealed class SteppingClock : TimeProvider
{
    private long _ticks = new DateTime(2026, 11, 22, 8, 0, 0, DateTimeKind.Utc).Ticks;
    private long _step;

    /// <summary>What a look takes; zero at first.</summary>
    public TimeSpan Step
    {
        get => new(Interlocked.Read(ref _step));
        set => Interlocked.Exchange(ref _step, value.Ticks);
    }

    /// <summary>So much time passes at once.</summary>
    public void Jump(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _ticks), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Add(ref _ticks, Interlocked.Read(ref _step));
}

namespace Jackdaw.Tests;

/// <summary>Time that passes when the test says so, whatever the machine does meanwhile.</summary>
public sealed class ManualClock(DateTimeOffset start) : TimeProvider
{
    private long _ticks = start.UtcTicks;

    public ManualClock()
        : this(new DateTimeOffset(2026, 11, 21, 8, 57, 49, TimeSpan.Zero)) { }

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _ticks), TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}

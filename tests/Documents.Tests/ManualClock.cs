namespace Jackdaw.Documents.Tests;

/// <summary>Time that passes when the test says so.</summary>
public sealed class ManualClock : TimeProvider
{
    private long _ticks = new DateTime(2026, 11, 21, 8, 57, 49, DateTimeKind.Utc).Ticks;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _ticks), TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}

namespace Jackdaw.Etl.Tests;

/// <summary>A clock that stands until it is moved.</summary>
internal sealed class ManualClock : TimeProvider
{
    private long _ticks = new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _ticks), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}

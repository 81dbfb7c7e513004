namespace Jackdaw.Simulation.Medium;

/// <summary>Time that passes only when the simulation says so. A tick is 100 ns.</summary>
public sealed class SimulatedClock : TimeProvider
{
    private static readonly long Start = new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;
    private long _elapsed;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _elapsed;

    public override DateTimeOffset GetUtcNow() => new(Start + _elapsed, TimeSpan.Zero);

    public void Advance(TimeSpan time) => _elapsed += time.Ticks;
}

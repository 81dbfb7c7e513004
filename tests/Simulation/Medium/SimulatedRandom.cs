namespace Jackdaw.Simulation.Medium;

/// <summary>
/// The one source of chance in a simulation: splitmix64 (Steele, Lea, Flood 2014), so that a seed means the same on every runtime.
/// It is also a <see cref="Random"/>, for the engine.
/// </summary>
public sealed class SimulatedRandom(ulong seed) : Random(0)
{
    private ulong _state = seed;

    public ulong NextUInt64()
    {
        _state += 0x9E3779B97F4A7C15;
        var z = _state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>True once in <paramref name="n"/> times; never for 0.</summary>
    public bool OneIn(int n) => n > 0 && NextUInt64() % (ulong)n == 0;

    public bool Coin() => (NextUInt64() & 1) == 0;

    public override int Next(int maxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxValue);
        return maxValue == 0 ? 0 : (int)(NextUInt64() % (ulong)maxValue);
    }

    public override int Next(int minValue, int maxValue) => minValue + Next(maxValue - minValue);

    public override int Next() => (int)(NextUInt64() % int.MaxValue);

    public override long NextInt64(long maxValue) => maxValue <= 0 ? 0 : (long)(NextUInt64() % (ulong)maxValue);

    public override long NextInt64(long minValue, long maxValue) => minValue + NextInt64(maxValue - minValue);

    public override long NextInt64() => (long)(NextUInt64() >> 1);

    public override double NextDouble() => (NextUInt64() >> 11) * (1.0 / (1L << 53));

    public override void NextBytes(Span<byte> buffer)
    {
        while (buffer.Length >= 8)
        {
            BitConverter.TryWriteBytes(buffer, NextUInt64());
            buffer = buffer[8..];
        }
        var last = NextUInt64();
        for (var i = 0; i < buffer.Length; i++)
            buffer[i] = (byte)(last >> (8 * i));
    }

    public override void NextBytes(byte[] buffer) => NextBytes(buffer.AsSpan());

    protected override double Sample() => NextDouble();

    /// <summary>A stream of its own that this one determines: what it is used for does not move this one.</summary>
    public SimulatedRandom Fork() => new(NextUInt64());
}

namespace Jackdaw.Simulation.Workloads;

/// <summary>The model of a value: a pattern and how much of it.</summary>
internal readonly record struct Stored(uint Pattern, int Length)
{
    public ReadOnlySpan<byte> Bytes => Patterns.Of(Pattern, Length);
}

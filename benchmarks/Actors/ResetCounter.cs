namespace Jackdaw.Bench.Actors;

/// <summary>The actor counts from 1 again.</summary>
internal sealed class ResetCounter
{
    public static ResetCounter Instance { get; } = new();

    private ResetCounter() { }
}

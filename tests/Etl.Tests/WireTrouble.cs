namespace Jackdaw.Etl.Tests;

/// <summary>What goes wrong, and how often, on the way to a receiver; it outlives the senders.</summary>
internal sealed class WireTrouble(Random random)
{
    public Random Random { get; } = random;

    /// <summary>Chance of trouble at each step; 0: none.</summary>
    public double Chance { get; set; }

    /// <summary>The receiver refuses messages sometimes.</summary>
    public bool Refuses { get; init; }

    /// <summary>Those after which something may come twice.</summary>
    public int Faults { get; set; }

    /// <param name="weight">Times the chance.</param>
    public bool Happens(double weight) => Chance > 0 && Random.NextDouble() < Chance * weight;
}

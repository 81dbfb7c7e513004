namespace Jackdaw.EventStreams.Client.Snapshots;

/// <summary>A snapshot of a stream.</summary>
public sealed record Snapshot
{
    /// <summary>The stream's id; it needs no events.</summary>
    public required string Stream { get; init; }

    /// <summary>The number of the last event that it covers.</summary>
    public required long Number { get; init; }

    /// <summary>UTC, 100 ns since year 1.</summary>
    public required long Ticks { get; init; }

    /// <summary>The serializer's number.</summary>
    public int Serializer { get; init; }

    /// <summary>The serializer's manifest.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The exact bytes.</summary>
    public required ReadOnlyMemory<byte> Bytes { get; init; }
}

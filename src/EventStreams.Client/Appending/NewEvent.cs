namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>An event to be appended.</summary>
public sealed record NewEvent
{
    /// <summary>The exact bytes. A payload that is one JSON value is stored as such, and readers of documents see it inline.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>UTC, 100 ns since year 1. Given by the client, so that a repeat is exact.</summary>
    public required long Ticks { get; init; }

    /// <summary>The serializer's number.</summary>
    public int Serializer { get; init; }

    /// <summary>The serializer's manifest.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The event adapter's manifest.</summary>
    public string AdapterManifest { get; init; } = "";

    /// <summary>At most 100 texts of 1 to 1,000 bytes.</summary>
    public IReadOnlyCollection<string> Tags { get; init; } = [];
}

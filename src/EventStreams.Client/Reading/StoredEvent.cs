namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>An event as the server has it.</summary>
public sealed record StoredEvent
{
    /// <summary>Its place in the order of everything that the database has stored.</summary>
    public required long Position { get; init; }

    /// <summary>The stream's id.</summary>
    public required string Stream { get; init; }

    /// <summary>Its number in the stream.</summary>
    public required long Number { get; init; }

    /// <summary>UTC, 100 ns since year 1.</summary>
    public required long Ticks { get; init; }

    /// <summary>Who appended it; empty: nobody in particular.</summary>
    public string Writer { get; init; } = "";

    /// <summary>The serializer's number.</summary>
    public int Serializer { get; init; }

    /// <summary>The serializer's manifest.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The event adapter's manifest.</summary>
    public string AdapterManifest { get; init; } = "";

    /// <summary>Its tags.</summary>
    public string[] Tags { get; init; } = [];

    /// <summary>The exact bytes that were appended.</summary>
    public required byte[] Payload { get; init; }
}

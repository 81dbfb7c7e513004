namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>Consecutive events of one stream, stored together or not at all.</summary>
public sealed record EventGroup
{
    /// <summary>The number of the first event, at least 1.</summary>
    public required long First { get; init; }

    /// <summary>The events, at least one.</summary>
    public required IReadOnlyList<NewEvent> Events { get; init; }

    /// <summary>The highest number that the stream must have; null: any.</summary>
    public long? ExpectedLast { get; init; }

    /// <summary>Who appends; empty: nobody in particular.</summary>
    public string Writer { get; init; } = "";

    /// <summary>A writer that was replaced becomes the current one again.</summary>
    public bool TakesOver { get; init; }
}

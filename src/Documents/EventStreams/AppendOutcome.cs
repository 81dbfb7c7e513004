namespace Jackdaw.Documents.EventStreams;

/// <summary>What became of a group of events. The order in which outcomes are looked for: docs/event-streams.md, "Appending".</summary>
public enum AppendOutcome
{
    /// <summary>The group is stored: now, or by an earlier append that this one repeats.</summary>
    Stored,

    /// <summary>The group's writer was replaced by another one.</summary>
    Fenced,

    /// <summary>The expected last number is not the highest number of the stream.</summary>
    Conflict,

    /// <summary>The first number is not above the highest number of the stream.</summary>
    Duplicate,

    /// <summary>An event of the group is over <see cref="Limits.MaxEventBytes"/>.</summary>
    TooLarge,
}

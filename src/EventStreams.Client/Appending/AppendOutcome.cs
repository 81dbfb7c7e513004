namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>What became of a group; see the server's documentation of event streams.</summary>
public enum AppendOutcome
{
    /// <summary>The events are durable, or were stored before by an exact repeat.</summary>
    Stored,

    /// <summary>Another writer has replaced this one. Nothing of the stream was stored.</summary>
    Fenced,

    /// <summary>The expected number is not the stream's highest. Nothing of the stream was stored.</summary>
    Conflict,

    /// <summary>A number is taken by another event. Nothing of the stream was stored.</summary>
    Duplicate,

    /// <summary>An event is over the server's limit. This group was not stored; other groups of the stream may be.</summary>
    TooLarge,
}

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>Groups of one stream that are sent together and in this order.</summary>
/// <param name="Stream">The stream's id, 1 to 1,000 bytes of UTF-8.</param>
/// <param name="Groups">At least one.</param>
public sealed record StreamAppend(string Stream, IReadOnlyList<EventGroup> Groups);

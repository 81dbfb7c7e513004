namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>Some stream ids, in the order of their first appends.</summary>
/// <param name="Streams">The ids.</param>
/// <param name="Next">What the next page begins after.</param>
/// <param name="IsEnd">Whether nothing followed when it was read.</param>
public sealed record StreamPage(IReadOnlyList<string> Streams, long Next, bool IsEnd);

namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>Some events of a read.</summary>
/// <param name="Events">In the order of the read.</param>
/// <param name="Durable">The highest position that was durable when the read began.</param>
/// <param name="IsEnd">Whether nothing followed when it was read.</param>
public sealed record EventPage(IReadOnlyList<StoredEvent> Events, long Durable, bool IsEnd);

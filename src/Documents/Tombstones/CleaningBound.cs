namespace Jackdaw.Documents.Tombstones;

/// <summary>How far the tombstones of one collection can go, and who cares.</summary>
/// <param name="UpToEtag">Every consumer that holds them has passed this etag.</param>
/// <param name="Wanting">The consumers that want the collection, whether they hold its tombstones or not.</param>
internal sealed record CleaningBound(long UpToEtag, IReadOnlyList<ConsumerPlace> Wanting);

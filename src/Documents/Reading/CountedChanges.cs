namespace Jackdaw.Documents.Reading;

/// <summary>How many changes lie above an etag.</summary>
/// <param name="Count">The number.</param>
/// <param name="IsExact">Counted to the end; otherwise estimated from what was counted at both sides of the etag and from how
/// many there are.</param>
public readonly record struct CountedChanges(long Count, bool IsExact)
{
    /// <summary>Both together.</summary>
    public CountedChanges With(CountedChanges other) => new(Count + other.Count, IsExact && other.IsExact);
}

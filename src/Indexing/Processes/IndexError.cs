namespace Jackdaw.Indexing.Processes;

/// <summary>Something that went wrong in an index.</summary>
/// <param name="AtTicks">When: UTC ticks.</param>
/// <param name="Document">The id of the document; null: it concerns none.</param>
/// <param name="Action">What was done: <c>Map</c>, <c>Batch</c>, <c>Rebuild</c>.</param>
/// <param name="Message">What happened, in words.</param>
public sealed record IndexError(long AtTicks, string? Document, string Action, string Message);

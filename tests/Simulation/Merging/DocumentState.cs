namespace Jackdaw.Simulation.Merging;

/// <summary>A document as the model knows it.</summary>
/// <param name="Id">In the casing of its first write.</param>
/// <param name="Etag">Of its last write.</param>
/// <param name="Collection">The collection's name in lower case.</param>
/// <param name="Body">JSON without metadata.</param>
/// <param name="Metadata">The client's own members, as text.</param>
/// <param name="ModifiedTicks">UTC, when the operation that wrote it was executed.</param>
internal sealed record DocumentState(string Id, long Etag, string Collection, string Body, string Metadata, long ModifiedTicks);

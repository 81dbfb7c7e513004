namespace Jackdaw.Simulation.Merging;

/// <summary>A deletion as the model knows it.</summary>
/// <param name="Id">The document's, in its casing.</param>
/// <param name="Etag">Of the deletion.</param>
/// <param name="DocumentEtag">That the document had.</param>
/// <param name="Collection">The collection's name in lower case.</param>
/// <param name="ModifiedTicks">UTC, when the operation that deleted it was executed.</param>
internal sealed record TombstoneState(string Id, long Etag, long DocumentEtag, string Collection, long ModifiedTicks);

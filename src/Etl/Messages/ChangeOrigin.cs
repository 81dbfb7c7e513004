namespace Jackdaw.Etl.Messages;

/// <summary>The change that messages and dead letters come of.</summary>
internal sealed record ChangeOrigin(string DocumentId, string Collection, string ChangeVector, long Etag, bool IsDeletion);

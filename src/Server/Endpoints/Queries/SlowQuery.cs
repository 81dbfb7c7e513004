namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>A query that has taken long.</summary>
/// <param name="Id">Its number since the process began.</param>
/// <param name="DatabaseId">Where it was asked.</param>
/// <param name="Text">Its text, or the beginning of it.</param>
/// <param name="IndexName">The index that it asked, or the collection that it read.</param>
/// <param name="StartedAt">When it came, UTC.</param>
/// <param name="Duration">How long it took, whatever its end was.</param>
internal sealed record SlowQuery(long Id, Guid DatabaseId, string Text, string IndexName, DateTime StartedAt, TimeSpan Duration);

namespace Jackdaw.Etl.Positions;

/// <summary>A database that this one was restored from.</summary>
/// <param name="DatabaseId">The id that it had.</param>
/// <param name="ForkEtag">The last etag that both have in common.</param>
internal readonly record struct DatabaseAncestor(Guid DatabaseId, long ForkEtag);

namespace Jackdaw.Documents;

/// <summary>A database that this one is a copy of, or a copy of a copy.</summary>
/// <param name="DatabaseId">The id that it has.</param>
/// <param name="ForkEtag">The last etag that both have in common.</param>
public readonly record struct DatabaseAncestor(Guid DatabaseId, long ForkEtag);

namespace Jackdaw.Functions.Handlers.Histories;

/// <summary>A database that another one is a copy of.</summary>
/// <param name="DatabaseId">Its id.</param>
/// <param name="Etag">The last etag that both have in common.</param>
public sealed record Ancestor(string DatabaseId, long Etag);

namespace Jackdaw.Indexing.Queries;

/// <summary>A query with <c>update { … }</c>: which documents, and the script to run on each.</summary>
/// <param name="Documents">The plan of the query without its update.</param>
/// <param name="Script">
/// The declared functions and the update in JavaScript, each where it stands in the query, and blanks for all else: places in it
/// are places in the query.
/// </param>
/// <param name="Alias">What the script calls the document beside <c>this</c>; null when the query gives it no name.</param>
public sealed record UpdatePlan(QueryPlan Documents, string Script, string? Alias);

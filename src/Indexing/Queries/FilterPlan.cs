using Jackdaw.Indexing.Definitions;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>What <c>filter</c> leaves of the documents that were found: conditions that are looked at document by document.</summary>
/// <param name="Query">The conditions. They mean what they mean to an index.</param>
/// <param name="Fields">The fields that they speak of.</param>
/// <param name="Limit">How many documents may be looked at; null: all.</param>
public sealed record FilterPlan(SearchQuery Query, AutoIndexDefinition Fields, long? Limit);

namespace Jackdaw.Indexing.Queries;

/// <summary>How an index answers a query by its name that does not have the fields of the metadata that the query needs: it is asked the
/// other conditions, and those on the metadata are tested document by document, as those of <c>filter</c> are.</summary>
/// <param name="Index">What is asked of the index.</param>
/// <param name="Filter">What is tested, the query's own <c>filter</c> included.</param>
internal sealed record MetadataTest(IndexPlan Index, FilterPlan Filter);

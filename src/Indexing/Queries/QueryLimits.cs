namespace Jackdaw.Indexing.Queries;

/// <summary>Limits on answering queries. A refusal names the limit.</summary>
public static class QueryLimits
{
    /// <summary>Rows that a query with <c>filter</c> or <c>distinct</c> keeps in memory while it counts its results.</summary>
    public const int MaxGatheredRows = 100_000;

    /// <summary>Bytes of memory that these rows take: their ids, and what <c>distinct</c> compares. Enough for
    /// <see cref="MaxGatheredRows"/> with ids of 40 bytes.</summary>
    public const int MaxGatheredBytes = 8 << 20;

    /// <summary>Texts of queries whose parsed form is remembered.</summary>
    public const int MaxRememberedQueries = 1_000;

    /// <summary>Their characters together.</summary>
    public const int MaxRememberedCharacters = 2 << 20;
}

namespace Jackdaw.Indexing.Queries;

/// <summary>The order of a query's results.</summary>
public enum QueryOrder
{
    /// <summary>The oldest change first.</summary>
    EtagAscending,

    /// <summary>By id, compared as the bytes of its lower-cased UTF-8 form.</summary>
    IdAscending,

    /// <summary>By id, the other way round.</summary>
    IdDescending,
}

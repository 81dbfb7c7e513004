namespace Jackdaw.Indexing.Queries;

/// <summary>
/// How far a query has come: what a later reader needs to go on behind the last document that was looked at. What that means for documents
/// that change in between is told in docs/rql.md.
/// </summary>
public sealed record QueryPosition
{
    internal QueryPosition() { }

    /// <summary>The etag of the last document looked at; 0 before the first.</summary>
    internal long Etag { get; init; }

    /// <summary>Its id in lower case; empty before the first.</summary>
    internal byte[] LowerId { get; init; } = [];

    /// <summary>Matches so far, those passed over included.</summary>
    internal long Matches { get; init; }

    /// <summary>Where results in etag order end.</summary>
    internal EtagBound Bound { get; init; }

    /// <summary>The documents of a query that puts them in order by itself; null for one that reads them in order.</summary>
    internal DocumentHandles? Handles { get; init; }

    /// <summary>How many of <see cref="Handles"/> were passed.</summary>
    internal int NextHandle { get; init; }
}

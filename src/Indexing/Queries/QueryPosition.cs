namespace Jackdaw.Indexing.Queries;

/// <summary>
/// How far a query has come: what a later reader needs to go on after the last result. A document that was changed in between comes
/// again where the results are in etag order (its etag has moved), and not where they are in id order.
/// </summary>
public sealed class QueryPosition
{
    internal QueryPosition(long etag, byte[] lowerId, long matches)
    {
        Etag = etag;
        LowerId = lowerId;
        Matches = matches;
    }

    /// <summary>The last result's etag.</summary>
    internal long Etag { get; }

    /// <summary>The last result's id in lower case.</summary>
    internal byte[] LowerId { get; }

    /// <summary>Matches so far, those passed over included.</summary>
    internal long Matches { get; }
}

namespace Jackdaw.Indexing;

/// <summary>Every limit of indexes in one place. Each names the setting that changes it.</summary>
public static class IndexingLimits
{
    /// <summary>Automatic indexes that a database may have. Setting <c>Limits.MaxAutoIndexes</c>.</summary>
    public const int MaxAutoIndexes = 64;

    /// <summary>Fields of an automatic index that others are merged into: beyond it a query gets an index of its own. Fixed (no
    /// setting).</summary>
    public const int MaxMergedFields = 64;

    /// <summary>A query that extends an automatic index waits for so long, so that others which come meanwhile are answered by the same
    /// one. Fixed (no setting).</summary>
    public static readonly TimeSpan MergeDelay = TimeSpan.FromMilliseconds(200);

    /// <summary>A query that does not say how long it waits for its index waits for so long, and so does one that has made it. An automatic
    /// index that was used since then makes no room for another one: the query that used it may still wait for it. Fixed (no
    /// setting).</summary>
    public static readonly TimeSpan QueryWait = TimeSpan.FromSeconds(15);

    /// <summary>Characters of an automatic index's name. Fixed (no setting).</summary>
    public const int MaxNameLength = 2048;

    /// <summary>Errors of documents that are kept of an index: the newest. Fixed (no setting).</summary>
    public const int MaxErrorRecords = 500;

    /// <summary>Batches that are kept of an index for its statistics: the newest. Fixed (no setting).</summary>
    public const int MaxBatchRecords = 32;

    /// <summary>Documents that must have been mapped before the share of failures counts. Fixed (no setting).</summary>
    public const int FailureSample = 100;

    /// <summary>Percent of documents that may fail before the index stops. Fixed (no setting).</summary>
    public const int MaxFailuresPercent = 15;

    /// <summary>One part in so many of the server's memory allowance (<c>Limits.MemoryAllowanceInMb</c>) is for batches of indexes.
    /// Fixed (no setting).</summary>
    public const int PartOfMemoryAllowance = 4;

    /// <summary>Bytes that the batches of all indexes take together at most. Fixed (no setting).</summary>
    public const long MaxBatchMemoryBytes = 128L << 20;

    /// <summary>Bytes by which a batch's share grows. Fixed (no setting).</summary>
    public const long BatchMemoryStepBytes = 256 << 10;

    /// <summary>The time that a batch collects changes for. Fixed (no setting).</summary>
    public static readonly TimeSpan BatchTime = TimeSpan.FromMilliseconds(800);

    /// <summary>The lower bound of an index is stored at most so often. Fixed (no setting).</summary>
    public static readonly TimeSpan LowerBoundInterval = TimeSpan.FromSeconds(10);

    /// <summary>Changes by which an index must have moved before its lower bound is stored. Fixed (no setting).</summary>
    public const long LowerBoundStep = 1000;
}

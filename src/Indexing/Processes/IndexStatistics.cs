using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index at one moment. Counters are since the database was opened.</summary>
public sealed record IndexStatistics
{
    /// <summary>As queries name it.</summary>
    public required string Name { get; init; }

    /// <summary>As the protocol calls its kind: <c>AutoMap</c>.</summary>
    public required string Type { get; init; }

    /// <summary>Whether it runs, as it is kept; an idle one shows as Idle.</summary>
    public required IndexState State { get; init; }

    /// <summary>Whether it runs at this moment.</summary>
    public required IndexRunStatus Status { get; init; }

    /// <summary>Which index gets a turn first.</summary>
    public required IndexPriority Priority { get; init; }

    /// <summary>What happens to a changed definition.</summary>
    public required IndexLockMode LockMode { get; init; }

    /// <summary>UTC ticks.</summary>
    public required long CreatedAtTicks { get; init; }

    /// <summary>When the last batch was committed: UTC ticks; 0: never.</summary>
    public required long LastIndexedAtTicks { get; init; }

    /// <summary>When it was last queried since the database was opened: UTC ticks; 0: not yet.</summary>
    public required long LastQueriedAtTicks { get; init; }

    /// <summary>Its collections have changes that it has not seen.</summary>
    public required bool IsStale { get; init; }

    /// <summary>Entries in it.</summary>
    public required long Entries { get; init; }

    /// <summary>The highest etag that it has seen.</summary>
    public required long Position { get; init; }

    /// <summary>The highest etag that it has seen durably: what holds tombstones back.</summary>
    public required long DurablePosition { get; init; }

    /// <summary>Documents that were mapped, failed ones included.</summary>
    public required long MapAttempts { get; init; }

    /// <summary>Documents that failed.</summary>
    public required long MapErrors { get; init; }

    /// <summary>Deletions that were applied.</summary>
    public required long Deletions { get; init; }

    /// <summary>Batches that were committed.</summary>
    public required long Batches { get; init; }

    /// <summary>Documents mapped a second of work, over the last batches.</summary>
    public required double MappedPerSecond { get; init; }

    /// <summary>Error records that are kept.</summary>
    public required int ErrorsCount { get; init; }

    /// <summary>Bytes of memory that its batch and its environment hold at this moment.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>How far it is in each of its collections.</summary>
    public required IReadOnlyList<CollectionLag> Collections { get; init; }
}

namespace Jackdaw.Storage.Statistics;

/// <summary>What an environment is doing, at one moment. Bytes and transaction ids unless said otherwise.</summary>
public sealed record EnvironmentStatistics
{
    /// <summary>The name of the environment.</summary>
    public required string Name { get; init; }

    /// <summary>Space reserved in the data file.</summary>
    public required long DataFileBytes { get; init; }

    /// <summary>The last transaction that is on the disk.</summary>
    public required long DurableTransaction { get; init; }

    /// <summary>The newest transaction that readers see: beyond the durable one only where durability is lazy.</summary>
    public required long VisibleTransaction { get; init; }

    /// <summary>Lazy durability: times since opening that the environment went back to its last durable state.</summary>
    public required int RollBacks { get; init; }

    /// <summary>Lazy durability: bytes of scratch of pages that no journal write has taken up yet.</summary>
    public required long UnjournaledBytes { get; init; }

    /// <summary>Up to here the data file has been written, though perhaps not synced.</summary>
    public required long FlushedTransaction { get; init; }

    /// <summary>Up to here the data file is durable: recovery would begin here.</summary>
    public required long SyncedTransaction { get; init; }

    /// <summary>Commits whose journal write has not ended.</summary>
    public required int PendingCommits { get; init; }

    /// <summary>Bytes of scratch in use.</summary>
    public required long ScratchUsedBytes { get; init; }

    /// <summary>Bytes of scratch allocated, in use or free.</summary>
    public required long ScratchAllocatedBytes { get; init; }

    /// <summary>Scratch that is allocated, not in use, and kept for the next transaction.</summary>
    public required long ScratchKeptBytes { get; init; }

    /// <summary>The limit of scratch, in bytes.</summary>
    public required long ScratchLimitBytes { get; init; }

    /// <summary>Bytes of the map from page numbers to scratch.</summary>
    public required long PageMapBytes { get; init; }

    /// <summary>Open read transactions.</summary>
    public required int Readers { get; init; }

    /// <summary>Null: there is no reader.</summary>
    public required ReaderStatistics? OldestReader { get; init; }

    /// <summary>Readers older than <see cref="EnvironmentOptions.LongReaderAge"/>, oldest first; they hold flush up.</summary>
    public required IReadOnlyList<ReaderStatistics> LongReaders { get; init; }

    /// <summary>Bytes appended to the journal since the environment was opened.</summary>
    public required long JournalBytesAppended { get; init; }

    /// <summary>Records appended since the environment was opened.</summary>
    public required long JournalRecords { get; init; }

    /// <summary>Journal files in use.</summary>
    public required int JournalFiles { get; init; }

    /// <summary>Journal files ready for use.</summary>
    public required int SpareJournalFiles { get; init; }

    /// <summary>Attempts to make a spare journal file that failed; each is repeated.</summary>
    public required long SpareJournalFailures { get; init; }

    /// <summary>What the last of them failed of; null: none did.</summary>
    public required string? LastSpareJournalFailure { get; init; }

    /// <summary>Why writes are refused; null while they are not.</summary>
    public required string? Poison { get; init; }
}

/// <summary>A living reader.</summary>
/// <param name="Purpose">What it was opened for.</param>
/// <param name="TransactionId">What it sees.</param>
/// <param name="Age">Since it began.</param>
public sealed record ReaderStatistics(string Purpose, long TransactionId, TimeSpan Age);

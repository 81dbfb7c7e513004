namespace Jackdaw.Storage.Statistics;

/// <summary>What an environment is doing, at one moment. Bytes and transaction ids unless said otherwise.</summary>
public sealed record EnvironmentStatistics
{
    public required string Name { get; init; }

    /// <summary>Space reserved in the data file.</summary>
    public required long DataFileBytes { get; init; }

    public required long DurableTransaction { get; init; }

    /// <summary>Up to here the data file has been written, though perhaps not synced.</summary>
    public required long FlushedTransaction { get; init; }

    /// <summary>Up to here the data file is durable: recovery would begin here.</summary>
    public required long SyncedTransaction { get; init; }

    public required int PendingCommits { get; init; }

    public required long ScratchUsedBytes { get; init; }

    public required long ScratchAllocatedBytes { get; init; }

    public required long ScratchLimitBytes { get; init; }

    public required long PageMapBytes { get; init; }

    public required int Readers { get; init; }

    /// <summary>Null: there is no reader.</summary>
    public required ReaderStatistics? OldestReader { get; init; }

    /// <summary>Readers older than <see cref="EnvironmentOptions.LongReaderAge"/>, oldest first; they hold flush up.</summary>
    public required IReadOnlyList<ReaderStatistics> LongReaders { get; init; }

    public required long JournalBytesAppended { get; init; }

    public required long JournalRecords { get; init; }

    public required int JournalFiles { get; init; }

    public required int SpareJournalFiles { get; init; }

    /// <summary>Why writes are refused; null while they are not.</summary>
    public required string? Poison { get; init; }
}

/// <summary>A living reader.</summary>
/// <param name="Purpose">What it was opened for.</param>
/// <param name="TransactionId">What it sees.</param>
/// <param name="Age">Since it began.</param>
public sealed record ReaderStatistics(string Purpose, long TransactionId, TimeSpan Age);

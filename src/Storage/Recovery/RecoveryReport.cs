namespace Jackdaw.Storage.Recovery;

/// <summary>What opening an environment had to do.</summary>
/// <param name="Created">There was none; nothing else is said.</param>
/// <param name="ReplayedTransactions">Transactions replayed from the journal.</param>
/// <param name="JournalBytes">Bytes of their records.</param>
/// <param name="WrittenPages">Pages written to the data file.</param>
/// <param name="Duration">Time from the lock to the new header.</param>
/// <param name="GivenUp">Null, or the damage that was accepted as lost, in words.</param>
public sealed record RecoveryReport(
    bool Created,
    long ReplayedTransactions,
    long JournalBytes,
    long WrittenPages,
    TimeSpan Duration,
    string? GivenUp
);

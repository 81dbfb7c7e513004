namespace Jackdaw.Bench.UnderTest;

/// <summary>What an open store has done so far.</summary>
/// <param name="JournalWrites">Records written to the journal.</param>
/// <param name="JournalBytes">Bytes of their blocks.</param>
/// <param name="DataSyncs">Syncs of the data file that have ended.</param>
/// <param name="UnflushedBytes">Page versions in scratch: those not flushed yet, and those that readers still hold.</param>
/// <param name="FlushedBytes">Bytes flushed to the data file.</param>
/// <param name="DataFileBytes">Length of the data file.</param>
internal readonly record struct StoreCounters(
    long JournalWrites,
    long JournalBytes,
    long DataSyncs,
    long UnflushedBytes,
    long FlushedBytes,
    long DataFileBytes
);

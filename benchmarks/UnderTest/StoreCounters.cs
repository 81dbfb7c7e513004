namespace Jackdaw.Bench.UnderTest;

/// <summary>What an open store has done so far.</summary>
/// <param name="JournalWrites">Writes to the journal.</param>
/// <param name="JournalBytes">Bytes they wrote.</param>
/// <param name="DataSyncs">Syncs of the data file that have ended.</param>
/// <param name="UnflushedBytes">Bytes of page versions that are not in the data file yet.</param>
/// <param name="WrittenBytes">Bytes of all page versions that transactions made.</param>
/// <param name="DataFileBytes">Length of the data file.</param>
/// <param name="PagesInUse">Pages that the free-space bitmap counts as used.</param>
/// <param name="PagesOfAnEmptyStore">Pages that were used when the database had just been created.</param>
internal readonly record struct StoreCounters(
    long JournalWrites, long JournalBytes, long DataSyncs, long UnflushedBytes, long WrittenBytes, long DataFileBytes, long PagesInUse, long PagesOfAnEmptyStore);

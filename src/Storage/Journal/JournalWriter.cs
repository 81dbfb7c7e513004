using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// The journal being written: the current file, its spare, rotation and recycling. Starts no thread. Which thread calls what:
/// <see cref="Append"/> the journal step, one call at a time; <see cref="TryReserve"/> and <see cref="Release"/> any thread (normally the one that
/// commits); <see cref="RunSpareStep"/> and <see cref="Recycle"/> one background thread.
/// </summary>
internal sealed class JournalWriter : IDisposable
{
    /// <summary>
    /// Begins the journal of a new environment: the folder, the first file (allocated, zero-filled, its header written), all durable on return.
    /// The first record will be transaction <paramref name="lastTransactionId"/> + 1.
    /// </summary>
    public static JournalWriter Create(IDisk disk, JournalOptions options, long lastTransactionId = 0) => throw new NotImplementedException();

    /// <summary>
    /// Goes on after recovery: begins a new file whose header names <paramref name="end"/> as where the log validly ended; durable on return. Uses the
    /// spare that it finds, and only makes a file when there is none. <see cref="Position"/> is then what the environment's header has to name.
    /// </summary>
    public static JournalWriter BeginAfterRecovery(IDisk disk, JournalOptions options, JournalPosition end) => throw new NotImplementedException();

    /// <summary>Where the next record goes (or, when it does not fit there, where the file ends).</summary>
    public JournalPosition Position => throw new NotImplementedException();

    public JournalStatistics Statistics => throw new NotImplementedException();

    /// <summary>
    /// The most bytes that a record of these pages can take in a file: what to reserve for it. <paramref name="pages"/> counts the pages of runs singly.
    /// </summary>
    public long WorstCaseBytes(long entries, long pages) => throw new NotImplementedException();

    /// <summary>
    /// Sets room aside for one record, in commit order. True: the append of a record of at most so many bytes, after those reserved before it, finds room
    /// for certain. Normally only accounting; where neither the current file nor a spare can take it, a file is made (from a recycled one if there is
    /// one) on the calling thread; a record larger than a journal file gets one of its own, allocated and zero-filled here.
    /// False: there is no space on the disk for that; nothing is reserved.
    /// <see cref="Append"/> uses the oldest reservation up; <see cref="Release"/> is only for a transaction that is dropped without an append.
    /// </summary>
    public bool TryReserve(long worstCaseBytes) => throw new NotImplementedException();

    /// <summary>Gives back a reservation whose transaction was dropped.</summary>
    public void Release(long worstCaseBytes) => throw new NotImplementedException();

    /// <summary>
    /// Makes the record (pages in ascending order) and writes it; durable on return. Returns the position after it. A
    /// <see cref="Errors.DiskException"/> leaves the outcome unknown: nothing may be appended afterwards.
    /// </summary>
    public JournalPosition Append(long transactionId, ReadOnlySpan<JournaledPage> pages, long commitTicks) => throw new NotImplementedException();

    /// <summary>
    /// One piece of background work: recycling or deleting a file that was handed over, or a megabyte of zeros for the spare. True: there is
    /// more to do. A failure (full disk, I/O error) harms nothing but the spare: it is counted in the statistics, and a later call tries again.
    /// </summary>
    public bool RunSpareStep() => throw new NotImplementedException();

    /// <summary>
    /// Tells that both headers are durably at or past this position: files wholly before it become spares or are deleted, by later
    /// <see cref="RunSpareStep"/>s.
    /// </summary>
    public void Recycle(JournalPosition bothHeadersPast) => throw new NotImplementedException();

    public void Dispose() => throw new NotImplementedException();
}

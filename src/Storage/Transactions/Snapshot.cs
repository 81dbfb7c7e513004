using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Scratch;

namespace Jackdaw.Storage.Transactions;

/// <summary>
/// One version of the whole environment: a committed transaction's page map over the data file. Snapshots form a list from the
/// oldest that is
/// still needed to the newest; all fields are guarded by the environment's lock, but for those that never change once it is published.
/// </summary>
internal sealed class Snapshot(long version, long transactionId, PageMapRoot map, long pageCount)
{
    /// <summary>Ascending with each published map; several versions may show the same transaction.</summary>
    public long Version { get; } = version;

    public long TransactionId { get; } = transactionId;

    /// <summary>Replaced in place only while nobody refers to the snapshot.</summary>
    public PageMapRoot Map { get; set; } = map;

    public long PageCount { get; } = pageCount;

    /// <summary>Readers, the flush pass and pending commits built on it.</summary>
    public int References { get; set; }

    /// <summary>
    /// Its state is the one at the end of a record: what flush may write, and what the next record's differences are taken to. In a lazily
    /// durable environment most snapshots never are.
    /// </summary>
    public bool IsJournaled { get; set; }

    /// <summary>Its transaction was taken back after it could be seen; only readers that began before still see it.</summary>
    public bool IsRolledBack { get; set; }

    /// <summary>The end of this transaction's record; set when it is durable.</summary>
    public JournalPosition Position { get; set; }

    /// <summary>Bytes appended to the journal since opening, up to and with this transaction's record.</summary>
    public long JournalBytes { get; set; }

    /// <summary>Memory that this snapshot shows and no later one does.</summary>
    public ref RetiredMemory Retired => ref _retired;

    public Snapshot? Previous { get; set; }

    public Snapshot? Next { get; set; }

    private RetiredMemory _retired;
}

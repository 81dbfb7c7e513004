using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>What an environment is opened with. The defaults are those of a server; the simulator uses tiny ones.</summary>
public sealed record EnvironmentOptions
{
    /// <summary>Shown in errors, statistics and thread names.</summary>
    public string Name { get; init; } = "environment";

    /// <summary>Largest size of the data file in bytes.</summary>
    public long MaxDataFileBytes { get; init; } = 256L << 30;

    /// <summary>
    /// Address space in bytes that is reserved for the data file when the environment is opened; null: for its largest size. A file
    /// that outgrows the reservation gets a larger one beside it, which only a file system can give. A process has 128 TB of
    /// address space: some 500 environments of the largest size, 32,000 of <see cref="SmallReservationBytes"/>.
    /// </summary>
    public long? ReservedDataFileBytes { get; init; }

    /// <summary>A reservation that few environments outgrow.</summary>
    public const long SmallReservationBytes = 4L << 30;

    /// <summary>Size in bytes at which the data file is created.</summary>
    public long InitialDataFileBytes { get; init; } = 1 << 20;

    /// <summary>The data file grows by a quarter of its size (at least 1 MB) a step, at most by this many bytes.</summary>
    public long MaxGrowthStepBytes { get; init; } = 1L << 30;

    /// <summary>Size in bytes of a journal file; a larger record gets a file of its own.</summary>
    public long JournalFileBytes { get; init; } = 32L << 20;

    /// <summary>Size in bytes of a new environment's first journal files; with each that is used up they grow fourfold, up to
    /// <see cref="JournalFileBytes"/>.</summary>
    public long FirstJournalFileBytes { get; init; } = 1L << 20;

    /// <summary>Largest scratch, in bytes, that one transaction may take.</summary>
    public long MaxTransactionBytes { get; init; } = 256L << 20;

    /// <summary>Bytes of scratch at which the writer must wait; it is slowed from three quarters of it on.</summary>
    public long MaxScratchBytes { get; init; } = 256L << 20;

    /// <summary>Bytes of scratch that are kept for the next transactions while nobody uses them, at most half of
    /// <see cref="MaxScratchBytes"/>.</summary>
    public long MaxKeptScratchBytes { get; init; } = long.MaxValue;

    /// <summary>What the scratch of this environment is drawn from, together with others; null: only
    /// <see cref="MaxScratchBytes"/> bounds it.</summary>
    public MemoryAllowance? Memory { get; init; }

    /// <summary>The account of <see cref="Memory"/> that scratch is counted in.</summary>
    public string ScratchAccount { get; init; } = ScratchPool.AccountName;

    /// <summary>Where empty scratch is kept for all environments that draw from <see cref="Memory"/>; null: each keeps its own.</summary>
    public ScratchReserve? ScratchReserve { get; init; }

    /// <summary>
    /// Bytes not yet flushed at which a flush pass begins. The more there are, the more often a page is changed again before it
    /// is written once
    /// (docs/decisions/0007-flushing.md).
    /// </summary>
    public long FlushThresholdBytes { get; init; } = 96L << 20;

    /// <summary>A flush pass begins at the latest so long after the last one, when there is anything to flush.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Bytes that one flush step writes at most. Two steps are under way at once: a journal write waits behind no more than that
    /// in the device's queue, and the
    /// merger behind no more than the pages of one for the page map.
    /// </summary>
    public int FlushStepBytes { get; init; } = 256 << 10;

    /// <summary>Journal bytes since the last sync at which the next begins: bounds the time of recovery.</summary>
    public long SyncThresholdBytes { get; init; } = 256L << 20;

    /// <summary>A sync begins at the latest so long after the last one, when anything has been flushed.</summary>
    public TimeSpan SyncInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>A reader older than this is named in the statistics.</summary>
    public TimeSpan LongReaderAge { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>When a commit becomes durable.</summary>
    public Durability Durability { get; init; } = Durability.EachCommit;

    /// <summary>Lazy durability: the journal is written at the latest so long after the first commit that is not in it.</summary>
    public TimeSpan LazyJournalInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Lazy durability: bytes of scratch, of pages that are not in the journal, at which it is written; at most a quarter of
    /// <see cref="MaxScratchBytes"/> counts.
    /// </summary>
    public long LazyJournalThresholdBytes { get; init; } = 32L << 20;

    /// <summary>The least that <see cref="LazyRecordBytes"/> may be: a page must fit.</summary>
    public const int MinLazyRecordBytes = 12 << 10;

    /// <summary>
    /// Lazy durability: bytes of the journal that one step writes at most, from <see cref="MinLazyRecordBytes"/> on. What is more goes in
    /// several records, which recovery applies together or not at all.
    /// </summary>
    public int LazyRecordBytes { get; init; } = 4 << 20;

    /// <summary>Memory, in bytes, that recovery collects pages in before it writes them.</summary>
    public long RecoveryMemoryBytes { get; init; } = 128L << 20;

    /// <summary>Recovery writes pages on a second thread while it replays further records. Off: one thread does all, in an order
    /// that can be repeated.</summary>
    internal bool RecoveryWritesAside { get; init; } = true;

    /// <summary>Open at the last good record of a damaged journal, giving up what lies behind it. Only on a person's explicit
    /// word.</summary>
    public bool AcceptDataLoss { get; init; }

    /// <summary>Off: where there is no environment none is made, and opening fails with a
    /// <see cref="Errors.CorruptedDataException"/>.</summary>
    public bool MayCreate { get; init; } = true;

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Source of ids and salts; not for secrets. Null: the system's.</summary>
    public Random? Random { get; init; }

    /// <summary>When journal records are compressed.</summary>
    internal Journal.JournalCompression Compression { get; init; } = Journal.JournalCompression.WhenItPays;

    /// <summary>Scratch memory begins as zeros, so that a simulation writes the same bytes every time.</summary>
    internal bool ClearsScratch { get; init; }

    /// <summary>A mistake for the simulator to find.</summary>
    internal PlantedFault Planted { get; init; }

    /// <summary>The same where durability is lazy.</summary>
    internal PlantedLazyFault PlantedLazy { get; init; }

    /// <summary>Is told, on whatever thread makes the work, that a step has something to do. Must only wake a thread.</summary>
    public IStepHost? Host { get; init; }
}

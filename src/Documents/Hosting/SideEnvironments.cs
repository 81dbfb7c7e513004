using Jackdaw.Storage;

namespace Jackdaw.Documents.Hosting;

/// <summary>How environments below a database's folder are opened: many, small, lazily durable.</summary>
internal static class SideEnvironments
{
    /// <summary>Bytes of a new environment's first journal files: most of these environments stay small.</summary>
    private const long FirstJournalFileBytes = 256 << 10;

    private const long InitialDataFileBytes = 256 << 10;

    /// <summary>Scratch, in bytes, that one may take: a batch is applied in one transaction.</summary>
    private const long MaxScratchBytes = 256L << 20;

    /// <summary>Bytes of scratch that one keeps between two batches: there may be many of them.</summary>
    private const long MaxKeptScratchBytes = 16L << 20;

    /// <summary>Bytes not yet flushed at which one begins to flush: half of what the documents have, since several of them are built at
    /// once.</summary>
    private const long FlushThresholdBytes = 48L << 20;

    /// <summary>Shown in metrics.</summary>
    private const string ScratchAccount = "scratch of indexes";

    /// <param name="database">As the database's own environment is opened.</param>
    /// <param name="name">Shown in errors.</param>
    /// <param name="isInMemory">The environment has no files.</param>
    public static EnvironmentOptions Options(EnvironmentOptions database, string name, bool isInMemory)
    {
        var options = database with
        {
            Name = name,
            Host = null,
            Durability = Durability.Lazy,
            FirstJournalFileBytes = Math.Min(FirstJournalFileBytes, database.FirstJournalFileBytes),
            InitialDataFileBytes = Math.Min(InitialDataFileBytes, database.InitialDataFileBytes),
            MaxScratchBytes = Math.Min(MaxScratchBytes, database.MaxScratchBytes),
            MaxKeptScratchBytes = MaxKeptScratchBytes,
            ScratchAccount = ScratchAccount,
            FlushThresholdBytes = Math.Min(FlushThresholdBytes, database.FlushThresholdBytes),
            MaxTransactionBytes = Math.Min(MaxScratchBytes, database.MaxTransactionBytes),
        };
        return isInMemory ? options : options with { ReservedDataFileBytes = EnvironmentOptions.SmallReservationBytes };
    }
}

using Jackdaw.Storage.Compaction;

namespace Jackdaw.Storage;

/// <summary>Compaction: a copy without holes.</summary>
public sealed unsafe partial class StorageEnvironment
{
    private const long CompactionBatchBytes = 16L << 20;

    /// <summary>
    /// Copies what the newest durable transaction sees into an empty environment and syncs that one. Runs the target's steps
    /// itself, on this
    /// thread; nobody else may use the target meanwhile. Opened with a small <see cref="EnvironmentOptions.MaxGrowthStepBytes"/>,
    /// its file ends close
    /// behind the last page. Errors of either environment leave the target useless: delete it.
    /// </summary>
    /// <param name="target">Just created: nothing in its catalog.</param>
    /// <param name="progress">Called after each batch of about 16 MB.</param>
    public void CompactInto(StorageEnvironment target, Action<CompactionProgress>? progress = null)
    {
        ArgumentNullException.ThrowIfNull(target);
        using var reader = BeginRead("compaction");
        using var copier = new StructureCopier(reader);
        using (var before = target.BeginRead("compaction"))
            Invariant.Require(!before.Catalog.Entries().Any(), "the target of a compaction must be empty");
        bool more = true;
        while (more)
        {
            using (var writer = target.BeginWrite())
            {
                more = copier.CopyBatch(writer, Math.Min(CompactionBatchBytes, target.Options.MaxTransactionBytes / 4));
                writer.Commit();
            }
            while (target.RunJournalStep()) { }
            while (target.RunSpareStep()) { }
            if (target.ScratchPressure > 0.25)
                target.FlushAndSync();
            progress?.Invoke(copier.Progress);
        }
        target.FlushAndSync();
    }
}

using Jackdaw.Search.Entries;
using Jackdaw.Search.Reading;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Search.Tests;

/// <summary>An index in memory, whose commits readers see at once.</summary>
internal sealed class IndexScene : IDisposable
{
    public IndexScene(Func<EnvironmentOptions, EnvironmentOptions>? adapt = null)
    {
        Options = new EnvironmentOptions
        {
            Name = "index",
            Durability = Durability.Lazy,
            MaxDataFileBytes = 4L << 30,
            MaxTransactionBytes = 1L << 30,
            MaxScratchBytes = 2L << 30,
            RecoveryWritesAside = false,
        };
        Options = adapt?.Invoke(Options) ?? Options;
        Storage = StorageEnvironment.Open(Disk, Options);
        Index = SearchIndex.Open(Storage, Id);
        Batch = Index.BeginBatch();
    }

    public static Guid Id { get; } = new("7a1f0c1e-52d0-4cb1-9f5d-0a4a4b4d3c2b");

    public MemoryDisk Disk { get; } = new();

    public EnvironmentOptions Options { get; }

    public StorageEnvironment Storage { get; private set; }

    public SearchIndex Index { get; private set; }

    /// <summary>Used again and again, as owners do.</summary>
    public EntryBatch Batch { get; private set; }

    /// <summary>Applies the batch and commits.</summary>
    public void Commit()
    {
        using (var writer = Storage.BeginWrite())
        {
            Batch.Apply(writer);
            writer.Commit();
        }
        while (Storage.RunJournalStep(force: true)) { }
        Storage.FlushAndSync();
    }

    public SearchReader Read() => Index.OpenRead("test");

    /// <summary>Closes cleanly and opens again.</summary>
    public void Reopen()
    {
        Batch.Dispose();
        Storage.CloseCleanly();
        Storage = StorageEnvironment.Open(Disk, Options);
        Index = SearchIndex.Open(Storage, Id);
        Batch = Index.BeginBatch();
    }

    /// <summary>Pages in use.</summary>
    public long UsedPages()
    {
        var report = Storage.Check([]);
        if (!report.IsSound)
            throw new InvalidOperationException(string.Join(Environment.NewLine, report.Findings));
        return report.PageCount - report.FreePages;
    }

    public void Dispose()
    {
        Batch.Dispose();
        Storage.Dispose();
        Disk.Dispose();
    }
}

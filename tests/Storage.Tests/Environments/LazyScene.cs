using System.Text;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Transactions;
using Jackdaw.Tests;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>A lazily durable environment with a clock of its own, which counts how often its host was woken.</summary>
internal sealed class LazyScene : IStepHost, IDisposable
{
    private readonly bool _ownsDisk;

    public LazyScene(IDisk? disk = null, Func<EnvironmentOptions, EnvironmentOptions>? adapt = null)
    {
        Disk = disk ?? new MemoryDisk();
        _ownsDisk = disk == null;
        Options = new EnvironmentOptions
        {
            Durability = Durability.Lazy,
            MaxDataFileBytes = 1L << 30,
            InitialDataFileBytes = 64 << 10,
            JournalFileBytes = 256 << 10,
            FirstJournalFileBytes = 256 << 10,
            RecoveryWritesAside = false,
            Time = Clock,
            Host = this,
        };
        Options = adapt?.Invoke(Options) ?? Options;
        Environment = StorageEnvironment.Open(Disk, Options);
        Wakes = 0;
    }

    public IDisk Disk { get; }

    public ManualClock Clock { get; } = new();

    public EnvironmentOptions Options { get; }

    public StorageEnvironment Environment { get; private set; }

    /// <summary>Times that the host was told of work for the journal.</summary>
    public int Wakes { get; set; }

    void IStepHost.JournalHasWork() => Wakes++;

    void IStepHost.FlushHasWork() { }

    /// <summary>Commits one value; nothing is made durable.</summary>
    public PendingCommit Put(string key, int valueBytes = 10) => Put(key, new byte[valueBytes]);

    public PendingCommit Put(string key, byte[] value)
    {
        using var writer = Environment.BeginWrite();
        writer.Catalog.OpenTree("tree").Put(Encoding.UTF8.GetBytes(key), value);
        return writer.Commit();
    }

    /// <summary>Writes everything committed to the journal, whether due or not; returns how many steps that took.</summary>
    public int WriteJournal()
    {
        var steps = 0;
        while (Environment.RunJournalStep(force: true))
            steps++;
        return steps;
    }

    public bool Has(string key)
    {
        using var reader = Environment.BeginRead("test");
        return Has(reader, key);
    }

    public static bool Has(PageTransaction transaction, string key) =>
        transaction.Catalog.TryOpenTree("tree", out var tree) && tree.Contains(Encoding.UTF8.GetBytes(key));

    /// <summary>The process ends without a word, and another one opens the environment.</summary>
    public void Reopen()
    {
        Environment.Dispose();
        Environment = StorageEnvironment.Open(Disk, Options);
    }

    public void Dispose()
    {
        Environment.Dispose();
        if (_ownsDisk)
            Disk.Dispose();
    }
}

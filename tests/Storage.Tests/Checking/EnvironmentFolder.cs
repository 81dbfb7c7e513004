using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Tests.Checking;

/// <summary>An environment in a temporary folder, whose steps the test runs itself.</summary>
internal sealed class EnvironmentFolder : IDisposable
{
    private readonly long _journalFileBytes;
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-space-").FullName;

    public EnvironmentFolder(long journalFileBytes = 1 << 20)
    {
        _journalFileBytes = journalFileBytes;
        Environment = Open();
    }

    public StorageEnvironment Environment { get; private set; }

    public string DataPath => Path.Combine(_folder, "data");

    /// <summary>Runs a write transaction, commits it, and flushes and syncs it.</summary>
    public void Write(Action<WriteTransaction> work)
    {
        using (var tx = Environment.BeginWrite())
        {
            work(tx);
            tx.Commit();
        }
        while (Environment.RunJournalStep()) { }
        Environment.FlushAndSync();
    }

    /// <summary>Closes cleanly, lets the caller at the files, and opens again.</summary>
    public void Reopen(Action<string> whileClosed)
    {
        Environment.CloseCleanly();
        whileClosed(DataPath);
        Environment = Open();
    }

    public void Dispose()
    {
        Environment.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private StorageEnvironment Open() =>
        StorageEnvironment.Open(
            new LinuxDisk(_folder),
            new EnvironmentOptions
            {
                MaxDataFileBytes = 4L << 30,
                JournalFileBytes = _journalFileBytes,
                MaxGrowthStepBytes = 16 << 20,
            }
        );
}

using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Search.Tests;

/// <summary>A lazily durable environment in memory, without threads.</summary>
internal sealed class TestStorage : IDisposable
{
    private readonly MemoryDisk _disk = new();

    public TestStorage(long maxTransactionBytes = 1L << 30)
    {
        Environment = StorageEnvironment.Open(
            _disk,
            new EnvironmentOptions
            {
                Name = "test",
                JournalFileBytes = 4 << 20,
                MaxDataFileBytes = 4L << 30,
                MaxTransactionBytes = maxTransactionBytes,
                MaxScratchBytes = 4L << 30,
                Durability = Durability.Lazy,
            }
        );
    }

    public StorageEnvironment Environment { get; }

    public void Dispose()
    {
        Environment.Dispose();
        _disk.Dispose();
    }
}

using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

public sealed class DatabaseHostTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_host_that_cannot_be_made_gives_its_folder_free_again()
    {
        var id = Guid.NewGuid();
        Assert.Throws<TimeoutException>(() => Open(id, new BrokenClock()));
        var host = Open(id, TimeProvider.System);
        host.BeginClose(new InvalidOperationException("The test has ended."));
        host.EndClose();
    }

    [Theory]
    [InlineData("merger 1")]
    [InlineData("journal 1")]
    [InlineData("flush 1")]
    [InlineData("step clock")]
    public void A_host_whose_thread_cannot_be_started_ends_the_others_and_gives_its_folder_free_again(string refused)
    {
        var id = Guid.NewGuid();
        var threads = new List<Thread>();
        Assert.Throws<InsufficientMemoryException>(() =>
            Open(
                id,
                TimeProvider.System,
                thread =>
                {
                    if (thread.Name == refused)
                        throw new InsufficientMemoryException("No thread is left.");
                    thread.Start();
                    threads.Add(thread);
                }
            )
        );
        Assert.All(threads, thread => Assert.False(thread.IsAlive));
        var host = Open(id, TimeProvider.System);
        host.BeginClose(new InvalidOperationException("The test has ended."));
        host.EndClose();
    }

    private DatabaseHost Open(Guid id, TimeProvider clock, Action<Thread>? startThread = null) =>
        new(
            id,
            new LinuxDisk(_folder),
            new HostOptions
            {
                Merger = new MergerOptions { DatabaseName = "test", Limits = Limits.Default },
                Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
                Clock = clock,
                StartThread = startThread ?? (thread => thread.Start()),
            },
            new ConsumerPositions(TimeProvider.System)
        );

    /// <summary>The host's, not the environment's: the environment is open already when it is first asked.</summary>
    private sealed class BrokenClock : TimeProvider
    {
        public override long GetTimestamp() => throw new TimeoutException("This clock is broken.");
    }
}

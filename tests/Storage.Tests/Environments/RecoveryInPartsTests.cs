using System.Text;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>Recovery whose pages do not fit into its memory at once: it writes one part while it replays the next.</summary>
public sealed class RecoveryInPartsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-recovery-").FullName;

    private static EnvironmentOptions Options => new() { MaxDataFileBytes = 1L << 30, JournalFileBytes = 256 << 10 };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    [Trait("Category", "Slow")]
    public void A_second_thread_that_writes_makes_the_same_data_file()
    {
        foreach (int seed in Seed.Some(6))
        {
            string crashed = Path.Combine(_folder, $"crashed-{seed}");
            Crash(crashed, new Random(seed));
            var random = new Random(-seed);
            int memory = random.Next(1, 64) * 8 * PageLayout.PageSize;
            byte[] alone = Recovered(crashed, Options with { RecoveryMemoryBytes = memory, RecoveryWritesAside = false });
            byte[] aside = Recovered(crashed, Options with { RecoveryMemoryBytes = memory, RecoveryWritesAside = true });
            byte[] whole = Recovered(crashed, Options with { RecoveryMemoryBytes = 256 << 20 });
            Assert.True(alone.AsSpan().SequenceEqual(whole), $"seed {seed}: parts of {memory} bytes, one thread");
            Assert.True(aside.AsSpan().SequenceEqual(whole), $"seed {seed}: parts of {memory} bytes, two threads");
        }
    }

    [Fact]
    public void An_error_of_the_thread_that_writes_ends_the_recovery_and_loses_nothing()
    {
        string crashed = Path.Combine(_folder, "crashed");
        Crash(crashed, new Random(1));
        EnvironmentOptions options = Options with { RecoveryMemoryBytes = 16 * PageLayout.PageSize };
        // As after a power cut: no sync has covered what the file grew by, so recovery has to allocate it again.
        const int Room = 1 << 20;
        using (var data = new FileStream(Path.Combine(crashed, "data"), FileMode.Open))
            data.SetLength(Room);
        for (int i = 0; i < 2; i++)
        {
            var error = Assert.Throws<LimitExceededException>(() =>
                StorageEnvironment.Open(new LinuxDisk(crashed), options with { MaxDataFileBytes = Room })
            );
            Assert.Contains("Storage.MaxDataFileSizeInMb", error.Message, StringComparison.Ordinal);
        }
        Assert.True(Recovered(crashed, options).AsSpan().SequenceEqual(Recovered(crashed, Options)));
    }

    /// <summary>Leaves a store of some megabytes, all of it in the journal, a part in the data file as well.</summary>
    private static void Crash(string folder, Random random)
    {
        using var environment = StorageEnvironment.Open(new LinuxDisk(folder), Options);
        for (int i = 0; i < 250; i++)
        {
            using (var writer = environment.BeginWrite())
            {
                for (int n = random.Next(1, 20); n > 0; n--)
                {
                    // Some are runs of pages, whose numbers are used again when they are replaced.
                    var value = new byte[random.Next(10) == 0 ? random.Next(9_000, 40_000) : random.Next(2_000)];
                    random.NextBytes(value);
                    writer.Catalog.OpenTree("t").Put(Encoding.UTF8.GetBytes($"key {random.Next(600)}"), value);
                }
                writer.Commit();
            }
            while (environment.RunJournalStep()) { }
            if (i == 20)
            {
                while (environment.RunFlushStep(force: true)) { }
            }
            environment.RunSpareStep();
        }
        Assert.Null(environment.Poison);
    }

    /// <summary>Recovers a copy of a folder, checks it, and returns its data file.</summary>
    private byte[] Recovered(string crashed, EnvironmentOptions options)
    {
        string copy = Path.Combine(_folder, "copy");
        Directory.CreateDirectory(Path.Combine(copy, "journal"));
        foreach (string file in Directory.GetFiles(crashed, "*", SearchOption.AllDirectories))
            File.Copy(file, Path.Combine(copy, Path.GetRelativePath(crashed, file)));
        using (var environment = StorageEnvironment.Open(new LinuxDisk(copy), options))
        {
            Assert.True(environment.Recovered.ReplayedTransactions > 200);
            Assert.True(environment.Check([]).IsSound);
        }
        byte[] data = File.ReadAllBytes(Path.Combine(copy, "data"));
        Directory.Delete(copy, recursive: true);
        return data;
    }
}

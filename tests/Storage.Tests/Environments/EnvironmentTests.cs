using System.Text;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>The engine on a real folder: what is durable, what is visible to whom, and what a restart finds.</summary>
public sealed class EnvironmentTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-environment-").FullName;

    private static EnvironmentOptions Small =>
        new()
        {
            MaxDataFileBytes = 1L << 30,
            JournalFileBytes = 256 << 10,
            FlushStepBytes = 64 << 10,
            MaxGrowthStepBytes = 4 << 20,
        };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_committed_transaction_is_visible_to_readers_only_once_it_is_durable()
    {
        using var environment = Open();
        var commit = Put(environment, "a", "1");
        using (var before = environment.BeginRead("test"))
            Assert.Null(Get(before, "a"));
        Assert.False(commit.IsDurable);
        Assert.True(environment.RunJournalStep());
        Assert.True(commit.IsDurable);
        using var after = environment.BeginRead("test");
        Assert.Equal("1", Get(after, "a"));
    }

    [Fact]
    public void The_next_writer_builds_on_a_commit_that_is_not_durable_yet()
    {
        using var environment = Open();
        Put(environment, "a", "1");
        using (var writer = environment.BeginWrite())
        {
            Assert.Equal("1", Get(writer, "a"));
            writer.Catalog.OpenTree("t").Put("b"u8, "2"u8);
            writer.Commit();
        }
        while (environment.RunJournalStep()) { }
        using var reader = environment.BeginRead("test");
        Assert.Equal(("1", "2"), (Get(reader, "a"), Get(reader, "b")));
    }

    [Fact]
    public void An_aborted_transaction_leaves_no_trace()
    {
        using var environment = Open();
        PutDurably(environment, "a", "1");
        using (var writer = environment.BeginWrite())
        {
            writer.Catalog.OpenTree("t").Put("a"u8, "changed"u8);
            for (var i = 0; i < 500; i++)
                writer.Catalog.OpenTree("other").Put(Encoding.UTF8.GetBytes($"key {i}"), new byte[3_000]);
        }
        var scratch = environment.GetStatistics().ScratchUsedBytes;
        PutDurably(environment, "b", "2");
        using var reader = environment.BeginRead("test");
        Assert.Equal(("1", "2"), (Get(reader, "a"), Get(reader, "b")));
        Assert.False(reader.Catalog.Contains("other"));
        Assert.True(scratch < 200_000, $"{scratch} bytes of scratch are still in use");
    }

    [Fact]
    public void Everything_durable_is_there_after_a_crash()
    {
        using (var environment = Open())
        {
            for (var i = 0; i < 300; i++)
                PutDurably(environment, $"key {i % 70}", $"value {i}");
        }
        using var reopened = Open();
        Assert.True(reopened.Recovered.ReplayedTransactions > 0);
        using var reader = reopened.BeginRead("test");
        for (var i = 230; i < 300; i++)
            Assert.Equal($"value {i}", Get(reader, $"key {i % 70}"));
    }

    [Fact]
    public void Everything_is_there_after_flush_sync_and_a_crash_in_turn()
    {
        for (var round = 0; round < 6; round++)
        {
            using var environment = Open();
            for (var i = 0; i < 200; i++)
            {
                PutDurably(environment, $"{i % 50}", $"{round}/{i}/" + new string('x', i * 50));
                if (i % 7 == round)
                    environment.RunFlushStep(force: true);
                if (i % 31 == 0)
                    environment.RunSyncStep(force: true);
                environment.RunSpareStep();
            }
            using var reader = environment.BeginRead("test");
            for (var i = 150; i < 200; i++)
                Assert.Equal($"{round}/{i}/" + new string('x', i * 50), Get(reader, $"{i % 50}"));
        }
    }

    [Theory]
    [InlineData("data")]
    [InlineData("journal")]
    public void Damage_is_told_with_the_whole_path_of_the_file(string what)
    {
        Open().Dispose();
        string file =
            what == "data"
                ? Path.Combine(_folder, "data")
                : Directory.GetFiles(Path.Combine(_folder, "journal")).Single(path => File.ReadAllBytes(path)[0] == (byte)'J');
        byte[] bytes = File.ReadAllBytes(file);
        bytes[40] ^= 1;
        File.WriteAllBytes(file, bytes);
        var damage = Assert.Throws<CorruptedDataException>(() => Open());
        Assert.Equal(file, damage.Path);
        Assert.Contains($"'{file}'", damage.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_clean_close_leaves_nothing_to_replay()
    {
        var environment = Open();
        for (var i = 0; i < 50; i++)
            PutDurably(environment, $"{i}", $"{i}");
        environment.CloseCleanly();
        using var reopened = Open();
        Assert.Equal(0, reopened.Recovered.ReplayedTransactions);
        using var reader = reopened.BeginRead("test");
        Assert.Equal("49", Get(reader, "49"));
    }

    [Fact]
    public void An_old_reader_keeps_its_snapshot_while_flush_and_writers_go_on()
    {
        using var environment = Open();
        for (var i = 0; i < 100; i++)
            PutDurably(environment, $"{i}", "old" + new string('o', 3_000));
        environment.FlushAndSync();
        using var old = environment.BeginRead("old");
        for (var round = 0; round < 5; round++)
        {
            for (var i = 0; i < 100; i++)
                PutDurably(environment, $"{i}", $"new {round}");
            environment.FlushAndSync();
        }
        for (var i = 0; i < 100; i++)
            Assert.Equal("old" + new string('o', 3_000), Get(old, $"{i}"));
        using var young = environment.BeginRead("young");
        Assert.Equal("new 4", Get(young, "7"));
        Assert.Equal("old", environment.GetStatistics().OldestReader!.Purpose);
    }

    [Fact]
    public void Scratch_is_empty_after_everything_was_flushed()
    {
        using var environment = Open();
        for (var i = 0; i < 200; i++)
            PutDurably(environment, $"{i}", new string('v', 2_000));
        environment.FlushAndSync();
        using (environment.BeginWrite()) { }
        Assert.Equal(0, environment.GetStatistics().ScratchUsedBytes);
    }

    [Fact]
    public void An_online_copy_opens_with_what_was_durable_when_it_ended()
    {
        var target = Directory.CreateTempSubdirectory("jackdaw-copy-").FullName;
        try
        {
            using var environment = Open();
            for (var i = 0; i < 100; i++)
                PutDurably(environment, $"{i}", new string('a', 100_000));
            environment.FlushAndSync();
            var written = new List<long>();
            long copied;
            using (var copyDisk = new LinuxDisk(target))
            using (var copy = environment.BeginCopy(copyDisk))
            {
                for (var i = 0; copy.Step(); i++)
                {
                    PutDurably(environment, $"{i}", $"during {i}");
                    written.Add(environment.DurableTransactionId);
                    environment.RunFlushStep(force: true);
                    environment.RunSyncStep(force: true);
                    environment.RunSpareStep();
                }
                copied = copy.TransactionId;
            }
            Assert.Contains(copied, written);
            using var opened = StorageEnvironment.Open(new LinuxDisk(target), Small);
            using var reader = opened.BeginRead("test");
            for (var i = 0; i < 100; i++)
                Assert.Equal(i < written.Count && written[i] <= copied ? $"during {i}" : new string('a', 100_000), Get(reader, $"{i}"));
        }
        finally
        {
            Directory.Delete(target, recursive: true);
        }
    }

    private StorageEnvironment Open() => StorageEnvironment.Open(new LinuxDisk(_folder), Small);

    private static PendingCommit Put(StorageEnvironment environment, string key, string value)
    {
        using var writer = environment.BeginWrite();
        writer.Catalog.OpenTree("t").Put(Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(value));
        return writer.Commit();
    }

    private static void PutDurably(StorageEnvironment environment, string key, string value)
    {
        var commit = Put(environment, key, value);
        while (environment.RunJournalStep()) { }
        Assert.True(commit.IsDurable, environment.Poison?.ToString());
    }

    private static string? Get(PageTransaction transaction, string key) =>
        transaction.Catalog.OpenTree("t").TryGet(Encoding.UTF8.GetBytes(key), out var value) ? Encoding.UTF8.GetString(value) : null;
}

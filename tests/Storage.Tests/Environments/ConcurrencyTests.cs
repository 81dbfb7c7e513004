using System.Buffers.Binary;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Transactions;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>
/// The engine under real threads: a writer, the journal, flush and sync, and readers of every age. Each transaction moves amounts between
/// accounts, rewrites them under new keys of another tree, and now and then aborts; every snapshot must balance and agree with itself.
/// </summary>
public sealed class ConcurrencyTests(ITestOutputHelper output) : IStepHost, IDisposable
{
    private const int Accounts = 3_000;
    private const long Opening = 1_000;
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-threads-").FullName;
    private readonly AutoResetEvent _journal = new(false);
    private readonly AutoResetEvent _flush = new(false);
    private Exception? _failure;
    private volatile bool _ends;

    void IStepHost.JournalHasWork() => _journal.Set();

    void IStepHost.FlushHasWork() => _flush.Set();

    public void Dispose()
    {
        _journal.Dispose();
        _flush.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(true)]
    [InlineData(false)]
    public void Every_snapshot_balances_while_all_threads_are_at_work(bool onDisk)
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_SEED"), out var given) ? given : Random.Shared.Next();
        output.WriteLine($"JACKDAW_SEED={seed}");
        var options = new EnvironmentOptions
        {
            Host = this,
            MaxDataFileBytes = 1L << 32,
            JournalFileBytes = 1 << 20,
            FlushStepBytes = 256 << 10,
            FlushThresholdBytes = 1 << 20,
            FlushInterval = TimeSpan.FromMilliseconds(20),
            SyncInterval = TimeSpan.FromMilliseconds(100),
        };
        using IDisk disk = onDisk ? new LinuxDisk(_folder) : new MemoryDisk();
        var environment = StorageEnvironment.Open(disk, options);
        OpenAccounts(environment);
        List<Thread> background = [Run("journal", () => Journal(environment)), Run("flush", () => Flush(environment))];
        var readers = Enumerable.Range(0, 3).Select(i => Run($"reader {i}", () => Read(environment, new Random(seed + i + 1)))).ToList();
        Write(environment, new Random(seed), TimeSpan.FromSeconds(3));
        _ends = true;
        readers.ForEach(thread => thread.Join());
        _journal.Set();
        _flush.Set();
        background.ForEach(thread => thread.Join());
        Assert.True(_failure is null, _failure?.ToString());

        environment.FlushAndSync();
        using (var reader = environment.BeginRead("check"))
        {
            Verify(reader);
            var findings = EnvironmentCheck.Run(reader, reader.VerifyPage, []).Findings;
            Assert.Empty(findings);
        }
        output.WriteLine($"{environment.DurableTransactionId} transactions, {environment.GetStatistics()}");
        environment.Dispose();
    }

    private static void OpenAccounts(StorageEnvironment environment)
    {
        using var writer = environment.BeginWrite();
        Span<byte> key = stackalloc byte[8];
        Span<byte> value = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(value, Opening);
        for (var account = 0; account < Accounts; account++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, account);
            writer.Catalog.OpenTree("accounts").Put(key, value);
        }
        writer.Commit();
        while (environment.RunJournalStep()) { }
    }

    private void Write(StorageEnvironment environment, Random random, TimeSpan time)
    {
        var until = DateTime.UtcNow + time;
        Span<byte> number = stackalloc byte[8];
        while (DateTime.UtcNow < until && _failure is null)
        {
            while (environment.PendingCommits > 1)
                Thread.Yield();
            using var writer = environment.BeginWrite();
            var accounts = writer.Catalog.OpenTree("accounts");
            for (var i = random.Next(1, 40); i > 0; i--)
                Move(accounts, random);
            var blobs = writer.Catalog.OpenTree("blobs");
            BinaryPrimitives.WriteInt64BigEndian(number, random.Next(300));
            if (random.Next(3) == 0)
                blobs.Delete(number);
            else
                blobs.Reserve(number, random.Next(1, 60_000), out _).Fill((byte)number[7]);
            BinaryPrimitives.WriteInt64BigEndian(number, writer.Id);
            writer.Catalog.OpenTree("state").Put("transaction"u8, number);
            if (random.Next(10) > 0)
                writer.Commit();
        }
    }

    private static void Move(Jackdaw.Storage.Trees.BTree accounts, Random random)
    {
        Span<byte> from = stackalloc byte[8],
            to = stackalloc byte[8],
            value = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(from, random.Next(Accounts));
        BinaryPrimitives.WriteInt64BigEndian(to, random.Next(Accounts));
        var amount = random.Next(100);
        Assert.True(accounts.TryGet(from, out var balance));
        BinaryPrimitives.WriteInt64BigEndian(value, BinaryPrimitives.ReadInt64BigEndian(balance) - amount);
        accounts.Put(from, value);
        Assert.True(accounts.TryGet(to, out balance));
        BinaryPrimitives.WriteInt64BigEndian(value, BinaryPrimitives.ReadInt64BigEndian(balance) + amount);
        accounts.Put(to, value);
    }

    private void Read(StorageEnvironment environment, Random random)
    {
        var seen = 0L;
        while (!_ends && _failure is null)
        {
            using var reader = environment.BeginRead("balance");
            Assert.True(reader.Id >= seen);
            seen = reader.Id;
            Verify(reader);
            if (random.Next(5) == 0)
            {
                Thread.Sleep(random.Next(60));
                Verify(reader);
            }
        }
    }

    private static void Verify(ReadTransaction reader)
    {
        long sum = 0,
            count = 0;
        using var cursor = reader.Catalog.OpenTree("accounts").OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext(), count++)
            sum += BinaryPrimitives.ReadInt64BigEndian(cursor.Value);
        Assert.Equal((Accounts, Accounts * Opening), (count, sum));
        if (reader.Catalog.OpenTree("state").TryGet("transaction"u8, out var transaction))
            Assert.Equal(reader.Id, BinaryPrimitives.ReadInt64BigEndian(transaction));
        using var blobs = reader.Catalog.OpenTree("blobs").OpenCursor();
        for (var any = blobs.SeekFirst(); any; any = blobs.MoveNext())
            Assert.False(blobs.Value.ContainsAnyExcept(blobs.Key[7]));
    }

    private void Journal(StorageEnvironment environment)
    {
        while (!_ends || environment.PendingCommits > 0)
        {
            if (!environment.RunJournalStep())
                _journal.WaitOne(10);
        }
    }

    private void Flush(StorageEnvironment environment)
    {
        while (!_ends)
        {
            if (!(environment.RunFlushStep() | environment.RunSyncStep() | environment.RunSpareStep()))
                _flush.WaitOne(5);
            if (environment.Poison is { } poison)
                throw poison;
        }
    }

    private Thread Run(string name, Action body)
    {
        var thread = new Thread(() =>
        {
            try
            {
                body();
            }
            catch (Exception failure)
            {
                Interlocked.CompareExchange(ref _failure, failure, null);
            }
        })
        {
            Name = name,
        };
        thread.Start();
        return thread;
    }
}

using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tests.Journal;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>
/// Lazy durability under real threads: committers that take turns and wait for durability, readers, and a host that runs each step when it
/// is due. Each transaction raises one of two counters and lowers the other, so every snapshot sums up to nothing.
/// </summary>
[Trait("Category", "Slow")]
public sealed class LazyConcurrencyTests : IStepHost, IDisposable
{
    private readonly AutoResetEvent _journal = new(false);
    private readonly Lock _writing = new();
    private readonly FaultyDisk _disk = new();
    private readonly EnvironmentOptions _options;
    private StorageEnvironment _environment;
    private Exception? _failure;
    private volatile bool _ends;
    private bool _flushes = true;

    public LazyConcurrencyTests()
    {
        _options = new EnvironmentOptions
        {
            Durability = Durability.Lazy,
            Host = this,
            MaxDataFileBytes = 1L << 30,
            JournalFileBytes = 256 << 10,
            LazyJournalInterval = TimeSpan.FromMilliseconds(20),
            LazyRecordBytes = 32 << 10,
            FlushInterval = TimeSpan.FromMilliseconds(5),
            SyncInterval = TimeSpan.FromMilliseconds(20),
        };
        _environment = StorageEnvironment.Open(_disk, _options);
    }

    void IStepHost.JournalHasWork() => _journal.Set();

    void IStepHost.FlushHasWork() { }

    public void Dispose()
    {
        _environment.Dispose();
        _disk.Dispose();
        _journal.Dispose();
    }

    [Fact]
    public void Every_wait_of_every_thread_ends_and_what_was_waited_for_survives()
    {
        const int Commits = 150;
        var others = StartOthers();
        var waited = new long[4];
        var committers = Enumerable.Range(0, waited.Length).Select(i => Run(() => waited[i] = CommitAndWait(Commits))).ToList();
        committers.ForEach(thread => thread.Join());
        End(others);
        _environment.Dispose();
        _environment = StorageEnvironment.Open(_disk, _options);
        Assert.True(_environment.DurableTransactionId >= waited.Max());
        using var reader = _environment.BeginRead("end");
        Assert.Equal(0, Sum(reader));
    }

    [Fact]
    public void A_committer_that_is_rolled_back_again_and_again_finds_a_sound_state_and_goes_on()
    {
        // Flushing would meet the failing disk too, and poison.
        _flushes = false;
        var others = StartOthers();
        var refused = 0;
        var committer = Run(() =>
        {
            while (_environment.Generation < 20)
            {
                try
                {
                    Commit(3_000);
                    _environment.MakeDurableAsync().GetAwaiter().GetResult();
                }
                catch (RolledBackException)
                {
                    refused++;
                }
            }
        });
        // Whenever something has become durable, the next write fails.
        while (committer.IsAlive)
        {
            var (generation, durable) = (_environment.Generation, _environment.DurableTransactionId);
            while (committer.IsAlive && _environment.DurableTransactionId == durable)
                Thread.Yield();
            _disk.WritesFail = true;
            while (committer.IsAlive && _environment.Generation == generation)
                Thread.Yield();
            _disk.WritesFail = false;
        }
        End(others);
        Assert.True(refused > 0);
        using var reader = _environment.BeginRead("end");
        Assert.Equal(0, Sum(reader));
    }

    /// <summary>The newest transaction that was waited for.</summary>
    private long CommitAndWait(int commits)
    {
        var waited = 0L;
        for (var n = 0; n < commits; n++)
        {
            var commit = Commit(n % 40 == 7 ? 200_000 : 100);
            if (n % 5 != 0)
                continue;
            _environment.MakeDurableAsync().GetAwaiter().GetResult();
            Assert.True(commit.IsDurable);
            waited = commit.TransactionId;
        }
        return waited;
    }

    private PendingCommit Commit(int bytes)
    {
        lock (_writing)
        {
            using var writer = _environment.BeginWrite();
            var tree = writer.Catalog.OpenTree("tree");
            var sign = writer.Id % 2 == 0 ? 1 : -1;
            Add(tree, "a"u8, sign);
            Add(tree, "b"u8, -sign);
            tree.Put("filler"u8, new byte[bytes]);
            return writer.Commit();
        }
    }

    private static void Add(BTree tree, ReadOnlySpan<byte> key, long change)
    {
        Span<byte> value = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(value, Value(tree, key) + change);
        tree.Put(key, value);
    }

    private static long Value(BTree tree, ReadOnlySpan<byte> key) =>
        tree.TryGet(key, out var value) ? BinaryPrimitives.ReadInt64LittleEndian(value) : 0;

    private static long Sum(PageTransaction transaction) =>
        transaction.Catalog.TryOpenTree("tree", out var tree) ? Value(tree, "a"u8) + Value(tree, "b"u8) : 0;

    private List<Thread> StartOthers() => [Run(RunJournal), Run(RunBackground), Run(Read), Run(Read)];

    private void End(List<Thread> others)
    {
        _ends = true;
        _journal.Set();
        others.ForEach(thread => thread.Join());
        Assert.Null(_failure);
    }

    private void Read()
    {
        while (!_ends)
        {
            using var reader = _environment.BeginRead("sum");
            Assert.Equal(0, Sum(reader));
            Thread.Yield();
            Assert.Equal(0, Sum(reader));
        }
    }

    /// <summary>As a host does: a step while there is work, then sleep until the next is due or somebody wakes it.</summary>
    private void RunJournal()
    {
        while (true)
        {
            if (_environment.RunJournalStep())
                continue;
            if (_ends)
                return;
            _journal.WaitOne(_environment.NextJournalStep());
        }
    }

    private void RunBackground()
    {
        while (!_ends)
        {
            _environment.RunSpareStep();
            if (_flushes)
            {
                _environment.RunFlushStep();
                _environment.RunSyncStep();
            }
            Thread.Sleep(1);
        }
    }

    private Thread Run(Action work)
    {
        var thread = new Thread(() =>
        {
            try
            {
                work();
            }
            catch (Exception error)
            {
                Interlocked.CompareExchange(ref _failure, error, null);
                _environment.PoisonBy(error);
            }
        });
        thread.Start();
        return thread;
    }
}

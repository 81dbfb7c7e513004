using System.Runtime.CompilerServices;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Transactions;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>
/// Pools keep ended readers for their next use. An ended reader referred to its snapshot, and that snapshot referred to every later one,
/// so the heap grew with each transaction of a database that was only written.
/// </summary>
public sealed class EndedReaderTests : IDisposable
{
    private readonly MemoryDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(Durability.EachCommit)]
    [InlineData(Durability.Lazy)]
    public void An_ended_reader_that_is_kept_keeps_no_later_snapshot(Durability durability)
    {
        using var environment = StorageEnvironment.Open(
            _disk,
            new EnvironmentOptions { MaxDataFileBytes = 1L << 30, Durability = durability }
        );
        Write(environment);
        var kept = environment.BeginRead("kept");
        kept.Dispose();
        var later = new List<WeakReference>();
        for (int i = 0; i < 100; i++)
        {
            Write(environment);
            later.Add(NewestSnapshot(environment));
        }
        environment.FlushAndSync();
        Write(environment);

        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);

        // The environment itself refers to the newest ones.
        Assert.InRange(later.Count(snapshot => snapshot.IsAlive), 0, 10);
        GC.KeepAlive(kept);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference NewestSnapshot(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("test");
        return new WeakReference(reader.Snapshot);
    }

    private static void Write(StorageEnvironment environment)
    {
        using (var transaction = environment.BeginWrite())
        {
            transaction.Catalog.OpenTree("t").Put("key"u8, BitConverter.GetBytes(transaction.Id));
            transaction.Commit();
        }
        var durable = environment.Options.Durability == Durability.Lazy ? environment.MakeDurableAsync() : Task.CompletedTask;
        while (environment.RunJournalStep()) { }
        Assert.True(durable.IsCompletedSuccessfully);
    }
}

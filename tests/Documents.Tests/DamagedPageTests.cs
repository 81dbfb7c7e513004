using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>A damaged page costs the operations that need it, and nobody else.</summary>
public sealed class DamagedPageTests : IDisposable
{
    private const int Count = 600;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-damage-").FullName;
    private LinuxDisk? _disk;

    public void Dispose()
    {
        _disk?.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void An_operation_that_needs_a_damaged_page_fails_with_its_file_and_page_and_the_others_go_on()
    {
        Fill();
        long page = Damage(Body(300));
        using var database = Open();
        var before = database.Merger.Submit(Put(5000)).AsTask();
        var offender = new ScriptedOperation(writer =>
        {
            writer.NextEtag();
            Assert.True(writer.TryGet(Encoding.ASCII.GetBytes(Id(300)), out _, out _));
        });
        var damaged = database.Merger.Submit(offender).AsTask();
        var after = database.Merger.Submit(Put(5001)).AsTask();
        database.RunAll();

        var failure = Assert.IsType<DamagedPageException>(damaged.Exception?.InnerException);
        Assert.Contains($"page {page} ", failure.Message, StringComparison.Ordinal);
        Assert.Contains(Path.Combine(_folder, "data"), failure.Message, StringComparison.Ordinal);
        Assert.Equal(page * PageLayout.PageSize, failure.Damage.Offset);
        Assert.Equal(1, offender.Executions);
        Assert.True(before.IsCompletedSuccessfully && after.IsCompletedSuccessfully);
        Assert.Null(database.Storage.Poison);
        Assert.Equal("A:" + (Count + 2), ChangeVectorOf(database, 5001)[..5]);
        var told = Assert.Single(database.Storage.DamagedPages);
        Assert.Equal((page, 1L), (told.Page, told.TimesMet));
        database.Do(Put(5002));
    }

    [Fact]
    public void A_put_over_a_document_whose_page_is_damaged_fails_each_time_and_leaves_the_rest_writable()
    {
        Fill();
        Damage(Body(300));
        using var database = Open();
        for (int i = 0; i < 3; i++)
            Assert.Throws<DamagedPageException>(() => database.Do(Put(300)));
        var batch = Put(1);
        TestDatabase.AddPut(batch, Id(300), "{}");
        Assert.Throws<DamagedPageException>(() => database.Do(batch));
        Assert.Equal($"A:{2}-", ChangeVectorOf(database, 1)[..4]);
        database.Do(Put(1));
        Assert.Null(database.Storage.Poison);
        Assert.True(Assert.Single(database.Storage.DamagedPages).TimesMet >= 4);
    }

    [Fact]
    public void An_operation_that_met_damage_is_not_executed_again_with_the_others_of_its_transaction()
    {
        Fill();
        Damage(Body(300));
        using var database = Open(maxTransactionBytes: 40 * PageLayout.PageSize);
        var offender = new ScriptedOperation(writer => writer.TryGet(Encoding.ASCII.GetBytes(Id(300)), out _, out _));
        var damaged = database.Merger.Submit(offender).AsTask();
        // Together they are too much for a transaction: it is dropped and divided, and what waits is judged anew.
        var others = Enumerable.Range(0, 6).Select(i => database.Merger.Submit(Put(6000 + i, bytes: 60_000)).AsTask()).ToList();
        var late = new ScriptedOperation(writer => writer.TryGet(Encoding.ASCII.GetBytes(Id(300)), out _, out _));
        var alsoDamaged = database.Merger.Submit(late).AsTask();
        database.RunAll();
        Assert.All(others, task => Assert.True(task.IsCompletedSuccessfully));
        Assert.All([damaged, alsoDamaged], task => Assert.IsType<DamagedPageException>(task.Exception?.InnerException));
        Assert.NotSame(damaged.Exception!.InnerException, alsoDamaged.Exception!.InnerException);
        Assert.Equal((1, 1), (offender.Executions, late.Executions));
    }

    [Fact]
    public void Damage_in_the_catalog_poisons()
    {
        Fill();
        using var database = Open();
        long root;
        using (var reader = database.Storage.BeginRead("test"))
            root = reader.Catalog.Structures().First().State.RootPage;
        FlipBit((root * PageLayout.PageSize) + 100);
        Forget(database, root);
        var refused = database.Merger.Submit(Put(1)).AsTask();
        database.RunAll();
        Assert.IsType<EnvironmentPoisonedException>(refused.Exception?.InnerException);
        Assert.True(Assert.IsType<CorruptedDataException>(database.Storage.Poison).IsShared);
    }

    [Fact]
    public void Damage_in_free_space_poisons()
    {
        Fill();
        using var database = Open();
        FlipBit(PageLayout.PageSize + 4000);
        Forget(database, page: 1);
        var refused = database.Merger.Submit(Put(1, bytes: 20_000)).AsTask();
        database.RunAll();
        Assert.IsType<EnvironmentPoisonedException>(refused.Exception?.InnerException);
        Assert.True(Assert.IsType<CorruptedDataException>(database.Storage.Poison).IsShared);
    }

    [Fact]
    public void Tombstones_on_a_damaged_page_stay_and_are_told_and_writing_goes_on()
    {
        Fill();
        using (var database = Open())
        {
            for (int i = 0; i < 100; i++)
                database.Do(TestDatabase.Delete(Id(i)));
            database.Storage.FlushAndSync();
            database.Storage.CloseCleanly();
        }
        _disk!.Dispose();
        Damage("things/60T"u8, last: true);
        using (var database = Open())
        {
            var positions = new ConsumerPositions(database.Clock);
            var cleaner = new TombstoneCleaner(database.Merger, positions, database.Clock, TimeSpan.FromSeconds(1), TimeSpan.FromDays(1));
            for (int i = 0; i < 5; i++)
            {
                database.Clock.Advance(TimeSpan.FromSeconds(2));
                cleaner.RunStep();
                database.RunAll();
                cleaner.RunStep();
                database.Do(Put(1000 + i));
            }
            Assert.Null(database.Storage.Poison);
            Assert.Single(database.Storage.DamagedPages);
        }
    }

    [Fact]
    public void Documents_on_a_damaged_page_do_not_keep_the_others_from_expiring()
    {
        using (var database = Open())
        {
            for (int i = 0; i < Count; i++)
                database.Do(Put(i, members: ",\"@expires\":\"2026-01-01\""));
            database.Do(new ConfigureDueDocumentsOperation(DocumentDateKind.Expires, new DueDocumentsSettings()));
            database.Storage.FlushAndSync();
            database.Storage.CloseCleanly();
        }
        _disk!.Dispose();
        Damage(Body(300));
        using (var database = Open())
        {
            var expirer = new DocumentExpirer(database.Merger, database.Writer.DueDates, database.Storage, database.Clock);
            for (int i = 0; i < 100; i++)
            {
                expirer.RunStep();
                database.RunAll();
                database.Clock.Advance(TimeSpan.FromSeconds(10));
            }
            Assert.Null(database.Storage.Poison);
            using var reader = database.Read();
            Assert.InRange(reader.DocumentCount, 1, 20);
            Assert.Equal(Count, reader.DocumentCount + expirer.Pass(DocumentDateKind.Expires).Done);
            Assert.InRange(expirer.Pass(DocumentDateKind.Expires).Skipped, 1, reader.DocumentCount);
        }
    }

    [Fact]
    public void Each_caller_of_a_transaction_that_failed_gets_an_exception_of_its_own()
    {
        var disk = new FaultyDisk();
        using var database = new TestDatabase(disk: disk);
        disk.JournalFails = true;
        var inFlight = Enumerable.Range(0, 40).Select(i => database.Merger.Submit(Put(i)).AsTask()).ToList();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        var builtOnIt = Enumerable.Range(0, 3).Select(i => database.Merger.Submit(Put(100 + i)).AsTask()).ToList();
        database.Merger.RunStep();
        database.Storage.RunJournalStep();
        var queued = Enumerable.Range(0, 3).Select(i => database.Merger.Submit(Put(200 + i)).AsTask()).ToList();
        database.RunAll();
        Exception[] errors = [.. inFlight.Concat(builtOnIt).Concat(queued).Select(task => task.Exception!.InnerException!)];
        Assert.Equal(errors.Length, errors.Distinct(ReferenceEqualityComparer.Instance).Count());
        Assert.All(errors, error => Assert.NotNull(error.InnerException));
        Assert.All(inFlight, task => Assert.IsType<CommitOutcomeUnknownException>(task.Exception!.InnerException));
        Assert.All(queued, task => Assert.IsType<EnvironmentPoisonedException>(task.Exception!.InnerException));
    }

    [Fact]
    public void Each_caller_who_waits_when_a_database_is_disabled_gets_an_exception_of_its_own()
    {
        using var database = new TestDatabase();
        var queued = Enumerable.Range(0, 20).Select(i => database.Merger.Submit(Put(i)).AsTask()).ToList();
        database.Merger.Close(new DatabaseDisabledException("test"));
        Exception[] errors = [.. queued.Select(task => task.Exception!.InnerException!)];
        Assert.Equal(errors.Length, errors.Distinct(ReferenceEqualityComparer.Instance).Count());
        Assert.All(errors, error => Assert.IsType<DatabaseDisabledException>(error));
    }

    private static string Id(int i) => $"things/{i}";

    /// <summary>Something of a document's body that nothing else holds.</summary>
    private static byte[] Body(int i) => Encoding.ASCII.GetBytes($"body of {i};");

    private static BatchOperation Put(int i, int bytes = 1500, string members = "") =>
        TestDatabase.Put(
            Id(i),
            $$$"""{"text":"body of {{{i}}};{{{new string('x', bytes)}}}","@metadata":{"@collection":"Things"{{{members}}}}}"""
        );

    private static string ChangeVectorOf(TestDatabase database, int i)
    {
        using var reader = database.Read();
        Assert.True(reader.TryGet(Id(i), out var document));
        return Encoding.ASCII.GetString(document.ChangeVector);
    }

    private void Fill()
    {
        using (var database = Open())
        {
            for (int i = 0; i < Count; i++)
                database.Do(Put(i));
            database.Do(new NextIdentityOperation("things|"));
            database.Storage.FlushAndSync();
            database.Storage.CloseCleanly();
        }
        _disk!.Dispose();
    }

    private LinuxDisk Disk() => _disk = new LinuxDisk(_folder);

    private TestDatabase Open(long maxTransactionBytes = 256L << 20) =>
        new(disk: Disk(), ownsDisk: false, maxTransactionBytes: maxTransactionBytes);

    /// <summary>Flips a bit in the page that holds these bytes; returns its number.</summary>
    private long Damage(ReadOnlySpan<byte> text, bool last = false)
    {
        var bytes = File.ReadAllBytes(Path.Combine(_folder, "data"));
        int at = last ? bytes.AsSpan().LastIndexOf(text) : bytes.AsSpan().IndexOf(text);
        Assert.True(at > 0);
        FlipBit(at);
        return at / PageLayout.PageSize;
    }

    /// <summary>As when the kernel has evicted the page: it is read and verified again.</summary>
    private static void Forget(TestDatabase database, long page)
    {
        using var reader = database.Storage.BeginRead("test");
        Assert.Throws<CorruptedDataException>(() => reader.VerifyPage(page));
    }

    private void FlipBit(long offset)
    {
        using var file = File.Open(Path.Combine(_folder, "data"), FileMode.Open);
        file.Position = offset;
        int value = file.ReadByte();
        file.Position = offset;
        file.WriteByte((byte)(value ^ 1));
    }
}

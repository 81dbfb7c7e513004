using System.Text;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>A data folder that came from a disk snapshot gets histories of its own: docs/new-history.md.</summary>
public sealed class NewHistoryTests : IDisposable
{
    private static readonly string[] s_steps = ["begun", "opened", "forked", "recorded"];

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-history-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string Original => Path.Combine(_folder, "original");

    private string Snapshot => Path.Combine(_folder, "snapshot");

    private static DatabasesOptions Options(string folder) =>
        new()
        {
            DataDir = folder,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Fact]
    public async Task Writes_after_a_new_history_have_change_vectors_that_the_original_never_gives()
    {
        var former = await MakeOriginalAsync();
        CopyFolder(Original, Snapshot);
        var output = new StringWriter();

        Assert.True(NewHistory.Run(Options(Snapshot), "SHOP", output), output.ToString());

        Assert.Contains("after etag 3", output.ToString(), StringComparison.Ordinal);
        var report = new StringWriter();
        Assert.True(DataFolderMaintenance.Check(Options(Snapshot), report), report.ToString());
        await using var originals = Databases.Open(Options(Original));
        await using var snapshots = Databases.Open(Options(Snapshot));
        Assert.Empty(snapshots.StartFindings);
        var shop = snapshots.Get("shop");
        Assert.NotEqual(former, shop.Id);
        Assert.Equal(shop.Id, snapshots.Record("shop")!.Id);
        Assert.Equal([new DatabaseAncestor(former, 3)], shop.Ancestors);
        // As statistics and change vectors have them.
        Assert.Contains(
            $"the database id was {ChangeVector.DatabaseIdText(former)} and is now {ChangeVector.DatabaseIdText(shop.Id)};",
            output.ToString(),
            StringComparison.Ordinal
        );
        Assert.Equal(await ChangeVectorAsync(originals.Get("shop"), "things/1"), await ChangeVectorAsync(shop, "things/1"));
        await PutAsync(originals.Get("shop"), "new");
        await PutAsync(shop, "other");
        Assert.Equal(4, originals.Get("shop").LastDurableEtag);
        Assert.Equal(4, shop.LastDurableEtag);
        Assert.NotEqual(await ChangeVectorAsync(originals.Get("shop"), "new"), await ChangeVectorAsync(shop, "other"));
        // Only the database that was named: the folder stays this server's, and its other databases stay as they are.
        Assert.Equal(originals.ServerId, snapshots.ServerId);
        Assert.Empty(snapshots.Get("other").Ancestors);
    }

    [Fact]
    public async Task All_databases_and_the_server_get_new_identities_together_disabled_ones_too()
    {
        await MakeOriginalAsync();
        await using (var databases = Databases.Open(Options(Original)))
            Assert.True(await databases.SetDisabledAsync("other", true));
        CopyFolder(Original, Snapshot);

        Assert.True(NewHistory.RunAll(Options(Snapshot), new StringWriter()));

        await using var originals = Databases.Open(Options(Original));
        await using var snapshots = Databases.Open(Options(Snapshot));
        Assert.NotEqual(originals.ServerId, snapshots.ServerId);
        Assert.True(snapshots.Record("other")!.Disabled);
        foreach (string name in new[] { "shop", "other" })
        {
            Assert.NotEqual(originals.Record(name)!.Id, snapshots.Record(name)!.Id);
            await snapshots.SetDisabledAsync(name, false);
            Assert.Equal(originals.Record(name)!.Id, Assert.Single(snapshots.Get(name).Ancestors).DatabaseId);
        }
    }

    [Fact]
    public async Task A_crash_between_any_two_steps_leaves_the_former_history_or_the_new_one()
    {
        var former = await MakeOriginalAsync();
        CopyFolder(Original, Snapshot);
        var copies = new List<(string Step, string Folder)>();
        var options = Options(Snapshot) with
        {
            StepReached = step =>
            {
                string copy = Path.Combine(_folder, $"crash{copies.Count}");
                CopyFolder(Snapshot, copy);
                copies.Add((step, copy));
            },
        };

        Assert.True(NewHistory.RunAll(options, new StringWriter()));

        Assert.Equal(["server", .. s_steps, .. s_steps], copies.Select(copy => copy.Step));
        foreach (var (step, folder) in copies)
        {
            await using (var databases = Databases.Open(Options(folder)))
            {
                foreach (var record in databases.List())
                {
                    var database = databases.Get(record.Name);
                    // One truth: the catalogue and the database's own folder name the same history.
                    Assert.Equal(databases.Record(record.Name)!.Id, database.Id);
                    await PutAsync(database, "after");
                    using var reader = database.OpenRead("test");
                    Assert.True(reader.TryGet("things/1", out _), step);
                }
                var shop = databases.Get("shop");
                Assert.Equal(shop.Id == former ? [] : [new DatabaseAncestor(former, 3)], shop.Ancestors);
            }
            // The command can be given again, whatever the crash left.
            Assert.True(NewHistory.RunAll(Options(folder), new StringWriter()));
            await using var again = Databases.Open(Options(folder));
            Assert.Empty(again.StartFindings);
            Assert.Equal(former, again.Get("shop").Ancestors[^1].DatabaseId);
            Assert.NotEqual(former, again.Get("shop").Id);
        }
    }

    /// <summary>At each operation of the disk, and not only between steps: what no sync covers is kept, lost or torn.</summary>
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_power_cut_at_any_operation_of_the_disk_leaves_the_former_history_or_the_new_one()
    {
        var former = await MakeOriginalAsync();
        var (operations, _, whole) = await CutAsync(operation: long.MaxValue, seed: 1, former);
        Assert.True(whole);
        var outcomes = new HashSet<bool>();
        // Most operations read, and a cut between two reads leaves the same.
        for (long operation = 1; operation <= operations; operation += 6)
        {
            var (_, isNew, _) = await CutAsync(operation, seed: (ulong)operation, former);
            outcomes.Add(isNew);
        }
        Assert.Equal(2, outcomes.Count);
    }

    [Fact]
    public async Task A_name_that_is_not_there_a_folder_in_use_and_one_ancestor_too_many_change_nothing_and_say_why()
    {
        var former = await MakeOriginalAsync();
        var output = new StringWriter();
        Assert.False(NewHistory.Run(Options(Original), "ship", output));
        Assert.Contains("There is no database 'ship'", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("'other', 'shop'", output.ToString(), StringComparison.Ordinal);
        await using (Databases.Open(Options(Original)))
            Assert.Throws<EnvironmentLockedException>(() => NewHistory.Run(Options(Original), "shop", output));
        await using (var databases = Databases.Open(Options(Original)))
            Assert.Equal(former, databases.Get("shop").Id);

        using (var disk = new LinuxDisk(Path.Combine(Original, "Databases", "shop")))
        using (var environment = StorageEnvironment.Open(disk, Options(Original).Storage with { Name = "shop" }))
        {
            for (int i = 0; i < Limits.MaxAncestors; i++)
                DatabaseFormat.Fork(environment, Guid.NewGuid());
            environment.CloseCleanly();
        }
        output = new StringWriter();
        Assert.False(NewHistory.Run(Options(Original), "shop", output));
        Assert.Contains("Limits.MaxAncestors", output.ToString(), StringComparison.Ordinal);
        await using (var databases = Databases.Open(Options(Original)))
        {
            Assert.Equal(Limits.MaxAncestors, databases.Get("shop").Ancestors.Count);
            Assert.EndsWith(
                ChangeVector.DatabaseIdText(former),
                await ChangeVectorAsync(databases.Get("shop"), "things/1"),
                StringComparison.Ordinal
            );
        }
    }

    [Fact]
    public async Task A_database_whose_disk_fails_when_it_is_closed_has_its_new_history_and_is_recorded_and_told_so()
    {
        var former = await MakeOriginalAsync();
        var output = new StringWriter();

        Assert.True(NewHistory.Run(FailingToClose(), "shop", output), output.ToString());

        Assert.DoesNotContain("left as it is", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("input/output error", output.ToString(), StringComparison.Ordinal);
        await using var databases = Databases.Open(Options(Original));
        // The catalogue knew already: nothing is left for the start to find out.
        Assert.Empty(databases.StartFindings);
        Assert.Equal([new DatabaseAncestor(former, 3)], databases.Get("shop").Ancestors);
        Assert.Contains(ChangeVector.DatabaseIdText(databases.Get("shop").Id), output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_catalogue_that_cannot_be_written_after_the_fork_is_told_as_such_and_the_next_start_records_it()
    {
        var former = await MakeOriginalAsync();
        var output = new StringWriter();
        var faulty = new FaultyDataFolder(Original);
        var options = Options(Original) with
        {
            Folder = faulty,
            StepReached = step => faulty.Disks[Databases.SystemFolder].JournalFails = step == "forked",
        };

        Assert.ThrowsAny<StorageException>(() => NewHistory.Run(options, "shop", output));

        Assert.Contains("the next start records it", output.ToString(), StringComparison.Ordinal);
        await using var databases = Databases.Open(Options(Original));
        Assert.Single(databases.StartFindings);
        Assert.Equal([new DatabaseAncestor(former, 3)], databases.Get("shop").Ancestors);
        Assert.Equal(databases.Record("shop")!.Id, databases.Get("shop").Id);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_fork_whose_write_has_an_unknown_outcome_is_not_told_as_left_alone(bool wasWritten)
    {
        var former = await MakeOriginalAsync();
        var output = new StringWriter();
        var faulty = new FaultyDataFolder(Original);
        var options = Options(Original) with
        {
            Folder = faulty,
            StepReached = step =>
            {
                if (step != "opened")
                    return;
                faulty.Disks["Databases/shop"].JournalFailsLate = wasWritten;
                faulty.Disks["Databases/shop"].JournalFails = !wasWritten;
            },
        };

        Assert.False(NewHistory.Run(options, "shop", output));

        Assert.Contains("perhaps", output.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("left as it is", output.ToString(), StringComparison.Ordinal);
        await using var databases = Databases.Open(Options(Original));
        Assert.Equal(wasWritten ? [new DatabaseAncestor(former, 3)] : [], databases.Get("shop").Ancestors);
    }

    [Fact]
    public async Task A_database_whose_deletion_was_interrupted_needs_no_new_history_and_does_not_keep_the_server_from_starting()
    {
        await MakeOriginalAsync();
        var interrupted = Options(Original) with { StepReached = step => throw new InvalidOperationException(step) };
        await using (var databases = Databases.Open(interrupted))
            await Assert.ThrowsAsync<InvalidOperationException>(() => databases.DeleteAsync("other", hard: true));
        var output = new StringWriter();
        Assert.False(NewHistory.Run(Options(Original), "other", output));
        Assert.True(NewHistory.RunAll(Options(Original), output), output.ToString());
        Assert.Contains("other: left as it is: it is Deleting", output.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("Start and stop", output.ToString(), StringComparison.Ordinal);
        await using var again = Databases.Open(Options(Original));
        Assert.Equal("shop", Assert.Single(again.List()).Name);
        Assert.Single(again.Get("shop").Ancestors);
    }

    /// <summary>Runs the command on a simulated disk whose power goes out in the given operation; checks what the next start
    /// finds.</summary>
    /// <returns>How many operations there were, whether the database "shop" has its new history, and whether the command ended.</returns>
    private async Task<(long Operations, bool IsNew, bool IsWhole)> CutAsync(long operation, ulong seed, Guid former)
    {
        using var disk = new SimulatedDisk(new SimulatedRandom(seed), 512, new SimulatedClock(), new OperationTrace());
        var folder = new SimulatedDataFolder(disk);
        folder.Load(Original);
        var before = disk.Operations;
        if (operation < long.MaxValue)
            disk.CutPowerIn(operation);
        var output = new StringWriter();
        var isWhole = false;
        try
        {
            isWhole = NewHistory.RunAll(Options("simulated") with { Folder = folder }, output);
        }
        catch (Exception e) when (e is PowerCutException or StorageException)
        {
            Assert.NotEqual(long.MaxValue, operation);
        }
        var operations = disk.Operations - before;
        disk.Restart(powerCut: true);
        var after = Path.Combine(_folder, "after");
        folder.Save(after);
        var report = new StringWriter();
        var isNew = false;
        await using (var databases = Databases.Open(Options(after)))
        {
            foreach (var record in databases.List())
            {
                var database = databases.Get(record.Name);
                Assert.Equal(databases.Record(record.Name)!.Id, database.Id);
                // What the command has said is so.
                var said = output.ToString().Split('\n').Any(line => line.StartsWith($"{record.Name}: the database id was "));
                Assert.True(!said || output.ToString().Contains($"is now {database.IdText};"), $"{operation}: {output} {database.IdText}");
                Assert.Equal(said || database.Ancestors.Count > 0 ? 1 : 0, database.Ancestors.Count);
                await PutAsync(database, "after");
                using var reader = database.OpenRead("test");
                Assert.True(reader.TryGet("things/1", out _), $"{operation}");
            }
            var shop = databases.Get("shop");
            isNew = shop.Id != former;
            Assert.Equal(isNew ? [new DatabaseAncestor(former, 3)] : [], shop.Ancestors);
        }
        Assert.True(DataFolderMaintenance.Check(Options(after), report), $"{operation}: {report}");
        // Again, whatever was left.
        Assert.True(NewHistory.RunAll(Options(after), report), $"{operation}: {report}");
        Directory.Delete(after, recursive: true);
        return (operations, isNew, isWhole);
    }

    private DatabasesOptions FailingToClose() =>
        Options(Original) with
        {
            Folder = new FaultyDataFolder(Original)
            {
                Opened = (folder, disk) =>
                {
                    if (folder == Databases.SystemFolder)
                        return;
                    disk.BeforeWrite = mode =>
                    {
                        if (mode == DiskFileMode.Data)
                            throw new DiskException("data", "write", 0, 5, "input/output error");
                    };
                },
            },
        };

    private async Task<Guid> MakeOriginalAsync()
    {
        await using var databases = Databases.Open(Options(Original));
        await databases.CreateAsync("other", default);
        await PutAsync(databases.Get("other"), "things/1");
        var record = await databases.CreateAsync("shop", default);
        for (int i = 1; i <= 3; i++)
            await PutAsync(databases.Get("shop"), $"things/{i}");
        return record.Id;
    }

    private static async Task<string> ChangeVectorAsync(Database database, string id)
    {
        await Task.Yield();
        using var reader = database.OpenRead("test");
        Assert.True(reader.TryGet(id, out var document));
        return Encoding.ASCII.GetString(document.ChangeVector);
    }

    private static async Task PutAsync(Database database, string id)
    {
        var batch = TestDatabase.Put(id, """{"a":1}""");
        await database.SubmitAsync(batch);
        batch.Return();
    }

    private static void CopyFolder(string from, string to)
    {
        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy, overwrite: true);
        }
    }
}

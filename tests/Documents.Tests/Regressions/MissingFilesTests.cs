using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// A data folder was restored without its <c>System</c>: the start made an empty catalogue and then deleted every database,
/// because no row named their folders. And a
/// database whose own folder was missing was opened as a new, empty one. What is missing must never make the server delete or
/// replace what is there.
/// </summary>
public sealed class MissingFilesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));

    private DatabasesOptions Options =>
        new()
        {
            DataDir = _folder,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    private string Folder(string name) => Path.Combine(_folder, "Databases", name);

    public void Dispose()
    {
        foreach (string folder in new[] { _folder, _folder + "-older", _folder + "-newer" })
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
    }

    private async Task CreateAsync(params string[] names)
    {
        await using var databases = Databases.Open(Options);
        foreach (string name in names)
        {
            await databases.CreateAsync(name, default);
            var batch = TestDatabase.Put("a", "{}");
            await databases.Get(name).SubmitAsync(batch);
            batch.Return();
        }
        Assert.Empty(databases.StartFindings);
    }

    [Fact]
    public async Task A_folder_that_lost_its_catalogue_is_refused_untouched_until_a_person_decides()
    {
        await CreateAsync("db", "soft");
        await using (var databases = Databases.Open(Options))
            await databases.DeleteAsync("soft", hard: false);
        string elsewhere = _folder + "-elsewhere";
        Directory.Move(Path.Combine(_folder, "System"), elsewhere);
        string[] before = Files();
        foreach (
            var start in new Action[]
            {
                () => Databases.Open(Options),
                () => DataFolderMaintenance.Check(Options, TextWriter.Null),
                () => DataLossRecovery.Run(Options, TextWriter.Null),
            }
        )
        {
            string message = Assert.Throws<CatalogueMissingException>(start).Message;
            foreach (string expected in new[] { _folder, "'Databases/db'", "'Deleted/soft-", "'System'", "adopt", "Nothing was changed" })
                Assert.Contains(expected, message, StringComparison.Ordinal);
            Assert.Equal(before, Files());
        }
        // Without databases it is a new folder, but for what is deleted.
        Directory.Move(Folder("db"), _folder + "-db");
        Assert.Throws<CatalogueMissingException>(() => Databases.Open(Options));
        Directory.Move(_folder + "-db", Folder("db"));

        Directory.Move(elsewhere, Path.Combine(_folder, "System"));
        await using (var databases = Databases.Open(Options))
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
    }

    [Fact]
    public async Task Databases_without_a_catalogue_are_adopted_with_their_ids_and_what_is_none_is_left_and_told()
    {
        await CreateAsync("Größe-1", "other");
        Guid id;
        await using (var databases = Databases.Open(Options))
            id = databases.Record("größe-1")!.Id;
        Directory.Delete(Path.Combine(_folder, "System"), recursive: true);
        Directory.CreateDirectory(Folder("empty"));
        await File.WriteAllTextAsync(Path.Combine(Directory.CreateDirectory(Folder("Mine")).FullName, "letter.txt"), "dear");
        CopyFolder(Folder("other"), Folder("second"));
        var output = new StringWriter();
        Assert.False(DatabaseAdoption.Run(Options, output));
        foreach (
            string expected in new[]
            {
                $"adopted as 'größe-1', database id {id}",
                "Databases/empty: left",
                "Databases/Mine: left",
                "Databases/second: left as it is: it is a copy of the database 'other'",
            }
        )
            Assert.Contains(expected, output.ToString(), StringComparison.Ordinal);
        await using (var databases = Databases.Open(Options))
        {
            Assert.Equal(["größe-1", "other"], databases.List().Select(record => record.Name));
            Assert.Equal(id, databases.Record("GRÖßE-1")!.Id);
            Assert.Equal(1, databases.Get("größe-1").Statistics().DocumentCount);
            // Nor does a name lead to a folder that no record names, and away with it when that is refused.
            await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("second", default));
            Assert.Equal(3, databases.StartFindings.Count);
        }
        Assert.True(File.Exists(Path.Combine(Folder("Mine"), "letter.txt")));
        foreach (string settled in new[] { "empty", "Mine", "second" })
            Directory.Delete(Folder(settled), recursive: true);
        Assert.True(DatabaseAdoption.Run(Options, output));
        Directory.Delete(_folder, recursive: true);
        Assert.Throws<UnsupportedFormatException>(() => DatabaseAdoption.Run(Options, output));
        Assert.False(Directory.Exists(_folder));
    }

    [Theory]
    [InlineData("creating")]
    [InlineData("deleting")]
    public async Task An_older_catalogue_that_was_deleting_a_database_does_not_delete_the_newer_one_of_that_name(string step)
    {
        string older = _folder + "-older";
        var copying = Options with
        {
            StepReached = reached =>
            {
                if (reached == step)
                    CopyFolder(Path.Combine(_folder, "System"), older);
            },
        };
        await using (var databases = Databases.Open(copying))
        {
            await databases.CreateAsync("db", default);
            await databases.DeleteAsync("db", hard: true);
        }
        await CreateAsync("db");
        Directory.Delete(Path.Combine(_folder, "System"), recursive: true);
        CopyFolder(older, Path.Combine(_folder, "System"));
        Directory.Delete(older, recursive: true);

        await using (var databases = Databases.Open(Options))
        {
            Assert.Empty(databases.List());
            Assert.Contains(databases.StartFindings, finding => finding.Contains("another database", StringComparison.Ordinal));
        }
        Assert.True(DatabaseAdoption.Run(Options, TextWriter.Null));
        await using (var databases = Databases.Open(Options))
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
    }

    [Fact]
    public async Task Deleting_a_database_whose_folder_is_another_ones_deletes_nothing_and_says_so()
    {
        await CreateAsync("one", "two");
        Directory.Delete(Folder("one"), recursive: true);
        Directory.Move(Folder("two"), Folder("one"));
        await using var databases = Databases.Open(Options);
        var found = new List<string>();
        databases.Found = found.Add;
        Assert.True(await databases.DeleteAsync("one", hard: true));
        Assert.Contains("another database", Assert.Single(found), StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(Folder("one"), "data")));
        Assert.Null(databases.Record("one"));
    }

    [Fact]
    public async Task A_deleted_database_that_cannot_be_read_is_kept_aside_and_an_interrupted_deletion_is_finished()
    {
        await CreateAsync("bad", "cut", "soft");
        Guid cut;
        string deleted = Path.Combine(_folder, "Deleted");
        await using (var databases = Databases.Open(Options))
        {
            cut = databases.Record("cut")!.Id;
            await databases.DeleteAsync("soft", hard: false);
        }
        foreach (string header in new[] { "header.a", "header.b" })
            await File.WriteAllBytesAsync(Path.Combine(Folder("bad"), header), new byte[4096]);
        var interrupted = Databases.Open(
            Options with
            {
                StepReached = step =>
                {
                    if (step == "closed")
                        throw new InvalidOperationException(step);
                },
            }
        );
        await Assert.ThrowsAsync<InvalidOperationException>(() => interrupted.DeleteAsync("cut", hard: true));
        await Assert.ThrowsAsync<InvalidOperationException>(() => interrupted.DeleteAsync("bad", hard: true));
        await interrupted.DisposeAsync();
        // As a crash in the middle of the removal leaves it.
        Directory.Move(Folder("cut"), Path.Combine(deleted, $"cut-{cut:N}"));
        File.Delete(Path.Combine(deleted, $"cut-{cut:N}", "header.a"));

        await using (var databases = Databases.Open(Options))
        {
            Assert.Empty(databases.List());
            Assert.Contains("'bad'", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
        }
        var left = Directory.GetDirectories(deleted).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal).ToArray();
        Assert.Equal(2, left.Length);
        Assert.True(left[0].StartsWith("bad-", StringComparison.Ordinal) && left[0].EndsWith("-kept", StringComparison.Ordinal), left[0]);
        Assert.StartsWith("soft-", left[1], StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(deleted, left[0], "data")));
    }

    [Theory]
    [InlineData("")]
    [InlineData("empty")]
    public async Task A_database_whose_files_are_missing_is_not_replaced_by_an_empty_one(string how)
    {
        await CreateAsync("gone", "kept");
        Directory.Delete(Folder("gone"), recursive: true);
        if (how == "empty")
            Directory.CreateDirectory(Folder("gone"));
        await using var databases = Databases.Open(Options);
        Assert.IsType<CorruptedDataException>(Assert.Throws<DatabaseLoadException>(() => databases.Get("gone")).InnerException);
        Assert.Contains("'gone'", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(Folder("gone"), "data")));
        Assert.Equal(1, databases.Get("kept").Statistics().DocumentCount);
        // Whoever knows that it is lost for good can say so.
        Assert.True(await databases.DeleteAsync("gone", hard: true));
        await databases.CreateAsync("gone", default);
    }

    [Fact]
    public async Task The_folder_of_another_database_is_not_opened()
    {
        await CreateAsync("one", "two");
        Directory.Delete(Folder("one"), recursive: true);
        Directory.Move(Folder("two"), Folder("one"));
        await using var databases = Databases.Open(Options);
        Assert.Contains(
            "another database",
            Assert.Throws<DatabaseLoadException>(() => databases.Get("one")).InnerException!.Message,
            StringComparison.Ordinal
        );
        Assert.Throws<DatabaseLoadException>(() => databases.Get("two"));
        Assert.Equal(2, databases.StartFindings.Count);
    }

    [Theory]
    [InlineData("Compacted")]
    [InlineData("Compacting")]
    public async Task A_name_whose_only_copy_a_compaction_left_aside_is_taken_and_told(string aside)
    {
        string older = _folder + "-older",
            newer = _folder + "-newer",
            system = Path.Combine(_folder, "System");
        await CreateAsync("kept");
        CopyFolder(system, older);
        await CreateAsync("db");
        Directory.CreateDirectory(Path.Combine(_folder, aside));
        Directory.Move(Folder("db"), Path.Combine(_folder, aside, "db"));
        Directory.Move(system, newer);
        Directory.Move(older, system);
        await using (var databases = Databases.Open(Options))
        {
            Assert.Contains($"'{aside}/db'", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
            Assert.Contains(
                $"'{aside}/db'",
                (await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("DB", default))).Message,
                StringComparison.Ordinal
            );
        }
        // A start more: whatever the first one did, the copy is there.
        await using (Databases.Open(Options))
            Assert.True(File.Exists(Path.Combine(_folder, aside, "db", "data")));
        if (aside == "Compacting")
            return;
        Directory.Delete(system, recursive: true);
        Directory.Move(newer, system);
        await using (var databases = Databases.Open(Options))
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
    }

    [Fact]
    public async Task Checking_and_compacting_make_no_database_where_one_is_missing()
    {
        await CreateAsync("gone");
        Directory.Delete(Folder("gone"), recursive: true);
        using var output = new StringWriter();
        Assert.False(DataFolderMaintenance.Check(Options, output));
        Assert.Throws<CorruptedDataException>(() => DataFolderMaintenance.Compact(Options, output));
        Assert.False(DataLossRecovery.Run(Options, output));
        Assert.False(File.Exists(Path.Combine(Folder("gone"), "data")));
    }

    private string[] Files() => Directory.GetFiles(_folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal).ToArray();

    private static void CopyFolder(string from, string to)
    {
        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }
}

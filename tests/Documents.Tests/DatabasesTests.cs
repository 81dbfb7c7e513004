using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class DatabasesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));

    public void Dispose()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
    }

    private static DatabasesOptions Options(string folder, bool inMemory = false) =>
        new()
        {
            DataDir = folder,
            RunInMemory = inMemory,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    private static async Task PutAsync(Database database, string id)
    {
        var batch = TestDatabase.Put(id, "{}");
        await database.SubmitAsync(batch);
        batch.Return();
    }

    [Fact]
    public async Task A_database_survives_a_restart_with_its_documents_and_its_id()
    {
        DatabaseRecord record;
        await using (var databases = Databases.Open(Options(_folder)))
        {
            record = await databases.CreateAsync("Shop", "{\"Settings\":{}}"u8.ToArray());
            Assert.Equal(DatabaseState.Ready, record.State);
            await PutAsync(databases.Get("shop"), "users/1");
        }
        await using (var databases = Databases.Open(Options(_folder)))
        {
            Assert.Equal(record, databases.Record("SHOP")! with { Json = record.Json });
            Assert.Equal("{\"Settings\":{}}", Encoding.UTF8.GetString(databases.Record("shop")!.Json.Span));
            var database = databases.Get("SHOP");
            Assert.Equal("Shop", database.Name);
            using var reader = database.OpenRead("test");
            Assert.True(reader.TryGet("users/1", out var document));
            Assert.Equal($"A:1-{database.IdText}", Encoding.UTF8.GetString(document.ChangeVector));
        }
    }

    [Fact]
    public async Task An_empty_database_takes_little_of_the_disk_and_grows_with_use()
    {
        await using var databases = Databases.Open(new DatabasesOptions { DataDir = _folder });
        await databases.CreateAsync("db", default);
        await PutAsync(databases.Get("db"), "a");
        // The spare that is made meanwhile included.
        await Task.Delay(200);
        string folder = Path.Combine(_folder, "Databases", "db");
        long bytes = new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);
        Assert.InRange(bytes, 1, 4 << 20);
    }

    [Theory]
    [InlineData("\u212Ainds")] // The Kelvin sign, whose lower case is k.
    [InlineData("\u2126mega")] // The Ohm sign.
    [InlineData("logos-λόγος")] // The last sigma has the upper case of the other one.
    public async Task Names_with_a_letter_that_shares_its_case_with_another_are_refused(string name)
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        await databases.CreateAsync("kinds", default);
        await databases.CreateAsync("Ärger-Σ-straße", default);
        var refused = await Assert.ThrowsAsync<InvalidDatabaseNameException>(() => databases.CreateAsync(name, default));
        Assert.Contains("shares its upper or lower case", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Names_are_checked_and_unique_whatever_their_casing()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        await databases.CreateAsync("Db", default);
        await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("dB", default));
        foreach (string name in new[] { "", " ", "a/b", "..", ".a", "a.", "a b", "a\0", new string('a', 129), "a%b" })
            await Assert.ThrowsAsync<InvalidDatabaseNameException>(() => databases.CreateAsync(name, default));
        await databases.CreateAsync("Größe-1_x.y", default);
        Assert.Equal(["Db", "Größe-1_x.y"], databases.List().Select(record => record.Name));
    }

    [Fact]
    public async Task Whoever_learns_that_a_database_exists_can_use_it_at_once_although_another_one_has_just_created_it()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        var prepared = new TaskCompletionSource();
        var first = databases.CreateAsync("Shop", "{}"u8.ToArray(), _ => prepared.Task);
        var second = databases.CreateAsync("shop", "{}"u8.ToArray());
        var waits = !second.IsCompleted;
        prepared.SetResult();
        Assert.True(waits, "The second creation did not wait for the first.");
        await Assert.ThrowsAsync<DatabaseExistsException>(() => second);
        await PutAsync(databases.Get("Shop"), "users/1");
        Assert.Equal("Shop", (await first).Name);
    }

    [Fact]
    public async Task A_creation_takes_the_place_of_another_one_that_failed_meanwhile()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        var prepared = new TaskCompletionSource();
        var first = databases.CreateAsync("Shop", "{}"u8.ToArray(), _ => prepared.Task);
        var second = databases.CreateAsync("shop", "{}"u8.ToArray());
        prepared.SetException(new DeclaredError("it cannot be filled"));
        await Assert.ThrowsAsync<DeclaredError>(() => first);
        Assert.Equal("shop", (await second).Name);
        await PutAsync(databases.Get("Shop"), "users/1");
    }

    [Fact]
    public async Task A_deleted_database_is_gone_and_its_name_free_once_its_readers_have_ended()
    {
        await using var databases = Databases.Open(Options(_folder));
        await databases.CreateAsync("db", default);
        var database = databases.Get("db");
        await PutAsync(database, "a");
        var reader = database.OpenRead("holds on");
        var deletion = databases.DeleteAsync("DB", hard: true);
        await Eventually.IsAsync(() => databases.Record("db") is null);
        Assert.Throws<DatabaseDoesNotExistException>(() => databases.Get("db"));
        Assert.Throws<DatabaseDoesNotExistException>(() => database.OpenRead("late"));
        await Assert.ThrowsAsync<DatabaseDoesNotExistException>(async () => await PutUntilRefused(database));
        Assert.False(deletion.IsCompleted);
        Assert.True(reader.TryGet("a", out _));
        await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("db", default));
        reader.Dispose();
        Assert.True(await deletion);
        Assert.Empty(Directory.GetDirectories(Path.Combine(_folder, "Databases")));
        Assert.False(await databases.DeleteAsync("db", hard: true));
        await databases.CreateAsync("db", default);
        Assert.Equal(0, databases.Get("db").Statistics().DocumentCount);
    }

    [Fact]
    public async Task A_database_is_deleted_while_many_write_and_read_it()
    {
        await using var databases = Databases.Open(Options(_folder));
        await databases.CreateAsync("db", default);
        var database = databases.Get("db");
        int written = 0;
        var users = Enumerable
            .Range(0, 8)
            .Select(writer =>
                Task.Run(async () =>
                {
                    for (int i = 0; ; i++)
                    {
                        try
                        {
                            await PutAsync(database, $"{writer}/{i}");
                            Interlocked.Increment(ref written);
                            using var reader = database.OpenRead("test");
                            Assert.True(reader.TryGet($"{writer}/{i}", out _));
                        }
                        catch (DatabaseDoesNotExistException)
                        {
                            return;
                        }
                    }
                })
            )
            .ToArray();
        await Eventually.IsAsync(() => Volatile.Read(ref written) > 100);
        Assert.True(await databases.DeleteAsync("db", hard: true));
        await Task.WhenAll(users).WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task A_disabled_database_refuses_and_an_enabled_one_goes_on_where_it_was()
    {
        await using (var databases = Databases.Open(Options(_folder)))
        {
            await databases.CreateAsync("db", default);
            await PutAsync(databases.Get("db"), "a");
            Assert.True(await databases.SetDisabledAsync("db", true));
            Assert.Throws<DatabaseDisabledException>(() => databases.Get("db"));
            Assert.True(databases.Record("db")!.Disabled);
        }
        await using (var databases = Databases.Open(Options(_folder)))
        {
            Assert.Throws<DatabaseDisabledException>(() => databases.Get("db"));
            Assert.True(await databases.SetDisabledAsync("db", false));
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
        }
    }

    [Fact]
    public async Task A_soft_delete_leaves_the_files_aside()
    {
        await using var databases = Databases.Open(Options(_folder));
        await databases.CreateAsync("db", default);
        Assert.True(await databases.DeleteAsync("db", hard: false));
        Assert.Empty(Directory.GetDirectories(Path.Combine(_folder, "Databases")));
        Assert.True(File.Exists(Path.Combine(Directory.GetDirectories(Path.Combine(_folder, "Deleted")).Single(), "data")));
        await databases.CreateAsync("db", default);
    }

    [Fact]
    public async Task A_record_is_replaced_only_at_the_etag_expected()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        var record = await databases.CreateAsync("db", default);
        var updated = await databases.UpdateRecordAsync("db", "{}"u8.ToArray(), record.Etag);
        Assert.True(updated.Etag > record.Etag);
        await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.UpdateRecordAsync("db", default, record.Etag));
        Assert.Equal(databases.LastRecordEtag, updated.Etag);
    }

    /// <summary>Each change of any record took the catalogue's next etag: whoever administered one database saw changes of the
    /// others.</summary>
    [Fact]
    public async Task A_records_etag_counts_its_own_changes_and_is_above_those_of_former_databases_of_its_name()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true));
        var record = await databases.CreateAsync("db", default);
        for (var i = 0; i < 5; i++)
            record = await databases.UpdateRecordAsync("db", "{}"u8.ToArray(), record.Etag);
        var former = await databases.CreateAsync("former", default);
        for (var i = 0; i < 5; i++)
            former = await databases.UpdateRecordAsync("former", "{}"u8.ToArray(), former.Etag);

        Assert.Equal(record.Etag + 1, (await databases.UpdateRecordAsync("db", "{}"u8.ToArray(), record.Etag)).Etag);
        await databases.DeleteAsync("former", hard: true);
        Assert.True((await databases.CreateAsync("former", default)).Etag > former.Etag);
    }

    [Fact]
    public async Task A_crash_between_any_two_steps_of_creating_or_deleting_is_settled_at_the_next_start()
    {
        // At each step the folder is copied as a crash would leave it, and the copy is opened.
        var copies = new List<(string Step, string Folder)>();
        string original = Path.Combine(_folder, "original");
        await using (var databases = Databases.Open(Options(original)))
        {
            await databases.CreateAsync("kept", default);
            await PutAsync(databases.Get("kept"), "a");
        }
        // Nothing is flushed meanwhile: file by file, the copy is then one that a crash could have left.
        var options = Options(original);
        options = options with
        {
            StepReached = Copy,
            Storage = options.Storage with { FlushInterval = TimeSpan.FromHours(1), SyncInterval = TimeSpan.FromHours(1) },
        };
        await using (var databases = Databases.Open(options))
        {
            await databases.CreateAsync("db", default);
            await databases.DeleteAsync("db", hard: true);
            await databases.CreateAsync("soft", default);
            await databases.DeleteAsync("soft", hard: false);
        }
        Assert.Equal(14, copies.Count);
        foreach (var (step, folder) in copies)
        {
            await using var databases = Databases.Open(Options(folder));
            Assert.Equal(1, databases.Get("kept").Statistics().DocumentCount);
            int expected = step == "ready" ? 2 : 1;
            Assert.Equal(expected, databases.List().Count);
            Assert.Equal(expected, Directory.GetDirectories(Path.Combine(folder, "Databases")).Length);
            await databases.CreateAsync("new", default);
            await PutAsync(databases.Get("new"), "a");
        }

        void Copy(string step)
        {
            string target = Path.Combine(_folder, $"copy{copies.Count}");
            foreach (string file in Directory.GetFiles(original, "*", SearchOption.AllDirectories))
            {
                string copy = Path.Combine(target, Path.GetRelativePath(original, file));
                Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
                // A spare journal file that is being made gets its name when it is done.
                bool isHalfMade = Path.GetFileName(file).StartsWith("new-", StringComparison.Ordinal);
                if (!isHalfMade)
                    File.Copy(file, copy, overwrite: true);
            }
            copies.Add((step, target));
        }
    }

    [Fact]
    public async Task Another_server_on_the_same_folder_is_refused()
    {
        await using var databases = Databases.Open(Options(_folder));
        var error = Assert.Throws<EnvironmentLockedException>(() => Databases.Open(Options(_folder)));
        Assert.Contains(
            Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture),
            error.Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task One_database_that_cannot_be_opened_leaves_the_others_alone()
    {
        await using (var databases = Databases.Open(Options(_folder)))
        {
            await databases.CreateAsync("good", default);
            await databases.CreateAsync("bad", default);
        }
        foreach (string header in new[] { "header.a", "header.b" })
            await File.WriteAllBytesAsync(Path.Combine(_folder, "Databases", "bad", header), new byte[4096]);
        await using (var databases = Databases.Open(Options(_folder)))
        {
            await PutAsync(databases.Get("good"), "a");
            var error = Assert.Throws<DatabaseLoadException>(() => databases.Get("bad"));
            Assert.IsType<CorruptedDataException>(error.InnerException);
            Assert.Same(error.InnerException, databases.LoadFailure("BAD"));
            Assert.Null(databases.LoadFailure("good"));
            await databases.SetDisabledAsync("bad", disabled: true);
            Assert.Null(databases.LoadFailure("bad"));
            await databases.SetDisabledAsync("bad", disabled: false);
            Assert.IsType<CorruptedDataException>(databases.LoadFailure("bad"));
            Assert.True(await databases.DeleteAsync("bad", hard: true));
        }
    }

    [Fact]
    public async Task A_start_that_fails_half_way_lets_go_of_everything_it_had_opened()
    {
        var options = Options(_folder);
        await using (var databases = Databases.Open(options))
        {
            await databases.CreateAsync("aaa", default);
            await databases.CreateAsync("zzz", default);
        }
        // Deleted softly, and stopped before the files were moved: the next start does that, after it has opened the first
        // database, and fails.
        var interrupted = Databases.Open(options with { StepReached = step => throw new InvalidOperationException(step) });
        await Assert.ThrowsAsync<InvalidOperationException>(() => interrupted.DeleteAsync("zzz", hard: false));
        await interrupted.DisposeAsync();
        string obstacle = Path.Combine(_folder, "Deleted");
        await File.WriteAllTextAsync(obstacle, "not a folder");
        Assert.ThrowsAny<DiskException>(() => Databases.Open(options));

        File.Delete(obstacle);
        await using var reopened = Databases.Open(options);
        Assert.Null(reopened.LoadFailure("aaa"));
        await PutAsync(reopened.Get("aaa"), "a");
        Assert.Null(reopened.Record("zzz"));
    }

    [Fact]
    public async Task A_range_of_ids_for_a_load_gives_the_load_no_reason_to_hold_back()
    {
        await using var databases = Databases.Open(Options(_folder, inMemory: true) with { Clock = new ManualClock() });
        await databases.CreateAsync("db", default);
        var database = databases.Get("db");
        await database.SubmitAsync(new NextHiLoOperation("users", 0, null, 0, '/', database.Limits));
        Assert.False(database.HasRecentForegroundWrites);
        await PutAsync(database, "a");
        Assert.True(database.HasRecentForegroundWrites);
    }

    private static async Task PutUntilRefused(Database database)
    {
        while (true)
            await PutAsync(database, "b");
    }
}

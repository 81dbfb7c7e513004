using Jackdaw.Documents.Errors;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// A deletion or creation that failed on its way left the name behind until the server was started anew: deleting said that there
/// was no such database, creating that there was one.
/// And a creation whose last write had an unknown outcome took the folder away, which the row needs when recovery replays it.
/// </summary>
public sealed class UnfinishedChangesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));
    private readonly FaultyDataFolder _faulty;

    public UnfinishedChangesTests() => _faulty = new FaultyDataFolder(_folder);

    /// <summary>Flushing and syncing happen when the environment is closed, and not before.</summary>
    private DatabasesOptions Options =>
        new()
        {
            DataDir = _folder,
            Storage = new EnvironmentOptions
            {
                JournalFileBytes = 1 << 20,
                MaxDataFileBytes = 1L << 30,
                FlushInterval = TimeSpan.FromHours(1),
                SyncInterval = TimeSpan.FromHours(1),
            },
        };

    private string Folder => Path.Combine(_folder, "Databases", "db");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("rename", true)]
    [InlineData("rename", false)]
    [InlineData("delete", true)]
    public async Task A_deletion_that_failed_is_gone_on_with_by_the_next_one(string what, bool hard)
    {
        await using (var databases = Databases.Open(Options with { Folder = _faulty }))
        {
            await CreateAsync(databases);
            _faulty.RenamingFails = what == "rename";
            _faulty.DeletingFails = what == "delete";
            for (int i = 0; i < 2; i++)
            {
                await Assert.ThrowsAsync<DiskException>(() => databases.DeleteAsync("db", hard));
                Assert.Throws<DatabaseDoesNotExistException>(() => databases.Get("db"));
                Assert.Contains(
                    "delete it again",
                    (await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("DB", default))).Message,
                    StringComparison.Ordinal
                );
            }
            _faulty.RenamingFails = _faulty.DeletingFails = false;
            Assert.True(await databases.DeleteAsync("db", hard));
            Assert.False(await databases.DeleteAsync("db", hard));
            Assert.Equal(hard ? 0 : 1, Directory.GetDirectories(Path.Combine(_folder, "Deleted")).Length);
            await databases.CreateAsync("db", default);
        }
        await using (var databases = Databases.Open(Options))
            Assert.Equal(0, databases.Get("db").Statistics().DocumentCount);
    }

    [Fact]
    public async Task A_database_whose_disk_fails_when_it_is_closed_is_deleted_all_the_same_and_that_is_told()
    {
        var found = new List<string>();
        await using var databases = Databases.Open(Options with { Folder = _faulty });
        databases.Found = found.Add;
        await CreateAsync(databases);
        _faulty.Disks["Databases/db"].BeforeWrite = mode =>
        {
            if (mode == DiskFileMode.Data)
                throw new DiskException("data", "write", 0, 5, "input/output error");
        };
        Assert.True(await databases.DeleteAsync("db", hard: true));
        Assert.Contains("input/output error", Assert.Single(found), StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder));
        await databases.CreateAsync("db", default);
    }

    [Theory]
    [InlineData("callback")]
    [InlineData("creating")]
    [InlineData("opened")]
    public async Task A_creation_that_fails_in_whatever_way_leaves_its_name_free(string where)
    {
        bool fails = true;
        void Fail(string step)
        {
            if (fails && step == where)
                throw new InsufficientMemoryException("No thread is left.");
        }
        var options = Options with { Opened = _ => Fail("callback"), StepReached = Fail };
        await using (var databases = Databases.Open(options))
        {
            var failure = await Assert.ThrowsAnyAsync<Exception>(() => databases.CreateAsync("db", default));
            Assert.IsType<InsufficientMemoryException>(
                where == "callback" ? Assert.IsType<DatabaseLoadException>(failure).InnerException : failure
            );
            Assert.False(Directory.Exists(Folder));
            Assert.False(await databases.DeleteAsync("db", hard: true));
            fails = false;
            await CreateAsync(databases);
        }
        await using (var databases = Databases.Open(options))
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_creation_whose_last_write_has_an_unknown_outcome_is_settled_at_the_next_start(bool wasWritten)
    {
        var options = Options with
        {
            Folder = _faulty,
            StepReached = step =>
            {
                _faulty.Disks["System"].JournalFails = step == "opened" && !wasWritten;
                _faulty.Disks["System"].JournalFailsLate = step == "opened" && wasWritten;
            },
        };
        await using (var databases = Databases.Open(options))
        {
            await Assert.ThrowsAsync<CommitOutcomeUnknownException>(() => databases.CreateAsync("db", default));
            Assert.Null(databases.Record("db"));
            Assert.Throws<DatabaseDoesNotExistException>(() => databases.Get("db"));
            await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("db", default));
            await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => databases.DeleteAsync("db", hard: true));
            Assert.True(Directory.Exists(Folder));
        }
        await using (var databases = Databases.Open(Options))
        {
            Assert.Empty(databases.StartFindings);
            Assert.Equal(wasWritten, databases.Record("db") is not null);
            Assert.Equal(wasWritten, Directory.Exists(Folder));
            if (!wasWritten)
                await databases.CreateAsync("db", default);
            Assert.Equal(0, databases.Get("db").Statistics().DocumentCount);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_deletion_whose_first_write_has_an_unknown_outcome_ends_the_database_until_the_next_start(bool wasWritten)
    {
        await using (var databases = Databases.Open(Options with { Folder = _faulty }))
        {
            await CreateAsync(databases);
            var database = databases.Get("db");
            _faulty.Disks["System"].JournalFails = !wasWritten;
            _faulty.Disks["System"].JournalFailsLate = wasWritten;
            await Assert.ThrowsAsync<CommitOutcomeUnknownException>(() => databases.DeleteAsync("db", hard: true));
            // The next start may delete it: nothing that is acknowledged now could be kept.
            Assert.Throws<DatabaseLoadException>(() => databases.Get("db"));
            var batch = TestDatabase.Put("b", "{}");
            await Assert.ThrowsAnyAsync<DatabaseUnavailableException>(async () => await database.SubmitAsync(batch));
        }
        await using (var databases = Databases.Open(Options))
        {
            Assert.Equal(!wasWritten, databases.Record("db") is not null);
            Assert.Equal(!wasWritten, Directory.Exists(Folder));
        }
    }

    [Fact]
    public async Task What_works_on_a_database_and_cannot_start_leaves_the_others_alone()
    {
        await using (var databases = Databases.Open(Options))
        {
            await CreateAsync(databases);
            await databases.CreateAsync("other", default);
        }
        var attached = new List<Companion>();
        await using (
            var databases = Databases.Open(
                Options with
                {
                    Opened = database =>
                    {
                        var companion = new Companion();
                        // Databases are opened at the same time.
                        lock (attached)
                            attached.Add(companion);
                        database.Attach(companion);
                        if (database.Name == "db")
                            throw new InvalidOperationException("It cannot be read.");
                    },
                }
            )
        )
        {
            Assert.Contains(
                "It cannot be read.",
                Assert.Throws<DatabaseLoadException>(() => databases.Get("db")).Message,
                StringComparison.Ordinal
            );
            Assert.Contains("It cannot be read.", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
            Assert.Equal(0, databases.Get("other").Statistics().DocumentCount);
            Assert.Equal([0, 1], attached.Select(companion => companion.Disposals).Order());
        }
        Assert.Equal([1, 1], attached.Select(companion => companion.Disposals));
    }

    [Fact]
    public async Task A_companion_that_cannot_end_does_not_keep_its_database_open()
    {
        await using (
            var databases = Databases.Open(
                Options with
                {
                    Opened = database => database.Attach(new Companion { Failure = new InvalidOperationException("It cannot end.") }),
                }
            )
        )
        {
            await CreateAsync(databases);
            await Assert.ThrowsAsync<InvalidOperationException>(() => databases.SetDisabledAsync("db", true));
        }
        await using (var databases = Databases.Open(Options))
            Assert.NotNull(databases.Record("db"));
    }

    private static async Task CreateAsync(Databases databases)
    {
        await databases.CreateAsync("db", default);
        var batch = TestDatabase.Put("a", "{}");
        await databases.Get("db").SubmitAsync(batch);
        batch.Return();
    }

    private sealed class Companion : IAsyncDisposable
    {
        public int Disposals { get; private set; }

        public Exception? Failure { get; init; }

        public ValueTask DisposeAsync()
        {
            Disposals++;
            return Failure is null ? ValueTask.CompletedTask : ValueTask.FromException(Failure);
        }
    }
}

using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Xunit;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>When an index goes on from where it was, and when it is built again.</summary>
public class RebuildTests
{
    [Fact]
    public async Task A_reopened_index_goes_on_from_where_it_was()
    {
        using var folder = new CrashableFolder();
        await using (var db = await OpenAsync(folder))
        {
            var index = await db.EnsureAsync("Users", "name");
            for (int i = 0; i < 20; i++)
                await db.PutAsync($"users/{i}", "Users", "");
            await db.CatchUpAsync(index);
            await db.Indexes.SetPriorityAsync([index.Name], Definitions.IndexPriority.High);
        }
        await using (var db = await OpenAsync(folder))
        {
            var index = Assert.Single(db.Indexes.All);
            Assert.Equal(Definitions.IndexPriority.High, index.Priority);
            // Deletions behind its position are held from the first moment.
            Assert.Equal(db.Database.LastDurableEtag, Assert.Single(db.Database.Consumers.Places()!).Etag);
            await db.PutAsync("users/new", "Users", "");
            await db.CatchUpAsync(index);
            Assert.Equal(21, IndexedDatabase.Contents(index).Count);
            Assert.Equal(1, index.Statistics().MapAttempts);
            Assert.Empty(index.Errors());
        }
    }

    [Fact]
    public async Task After_a_kill_an_index_goes_on_from_what_was_durable_and_misses_nothing()
    {
        using var folder = new CrashableFolder();
        var db = await OpenAsync(folder);
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.PutAsync("users/2", "Users", "");
        await db.CatchUpAsync(index);
        await index.MakeDurableAsync();
        await db.PutAsync("users/3", "Users", "");
        await db.DeleteAsync("users/1");
        await db.CatchUpAsync(index);
        folder.Cut();
        await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            await db.DisposeAsync();
            throw new OperationCanceledException();
        });
        db = await OpenAsync(folder);
        await using (db)
        {
            index = Assert.Single(db.Indexes.All);
            await db.CatchUpAsync(index);
            Assert.Equal(["users/2", "users/3"], IndexedDatabase.Contents(index).Keys);
            Assert.Empty(index.Errors());
        }
    }

    [Fact]
    public async Task An_index_whose_folder_is_gone_is_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        Directory.Delete(Assert.Single(IndexFolders(folder)), recursive: true);
        await using var db = await OpenAsync(folder);
        await db.CatchUpAsync(db.Indexes.All[0]);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(db.Indexes.All[0]).Keys);
    }

    [Fact]
    public async Task An_index_whose_folder_is_damaged_is_built_again_and_says_so()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        foreach (string file in Directory.GetFiles(Assert.Single(IndexFolders(folder)), "*", SearchOption.AllDirectories))
        {
            byte[] bytes = File.ReadAllBytes(file);
            for (int i = 0; i < bytes.Length; i += 64)
                bytes[i] ^= 0x55;
            File.WriteAllBytes(file, bytes);
        }
        await using var db = await OpenAsync(folder);
        await AssertRebuiltAsync(db, "damaged");
    }

    [Fact]
    public async Task A_folder_that_no_record_names_is_deleted()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        Directory.CreateDirectory(Path.Combine(folder.Path, "Databases/db/Indexes/0123456789abcdef0123456789abcdef/journal"));
        await using var db = await OpenAsync(folder);
        Assert.Equal([db.Indexes.All[0].InstanceId.ToString("N")], db.Database.EnvironmentFolders("Indexes"));
    }

    [Fact]
    public async Task An_index_of_another_database_is_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        using var other = new CrashableFolder();
        await FillAsync(other);
        Replace(Assert.Single(IndexFolders(folder)), Assert.Single(IndexFolders(other)));
        await using var db = await OpenAsync(folder);
        await AssertRebuiltAsync(db, "another database");
    }

    [Fact]
    public async Task An_index_whose_values_are_of_another_version_is_built_again()
    {
        using var folder = new CrashableFolder();
        await using (
            var db = await IndexedDatabase.OpenAsync(
                new IndexingOptions { OpenContent = UndatedContent.Open, Threads = 3 },
                folder.Path,
                o => o with { Folder = folder.Open() }
            )
        )
        {
            await db.PutAsync("users/1", "Users", "");
            await db.CatchUpAsync(await db.EnsureAsync("Users", "name"));
        }
        await using var reopened = await OpenAsync(folder);
        await AssertRebuiltAsync(reopened, "values of version 1");
    }

    [Fact]
    public async Task An_index_that_has_seen_more_than_the_documents_hold_is_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        string older = folder.Path + "-older";
        Replace(older, Path.Combine(folder.Path, "Databases/db"));
        try
        {
            await using (var db = await OpenAsync(folder))
            {
                await db.PutAsync("users/2", "Users", "");
                await db.CatchUpAsync(db.Indexes.All[0]);
            }
            // The documents of before, and the index of now.
            string newer = Assert.Single(IndexFolders(folder));
            Replace(Path.Combine(older, "Indexes", Path.GetFileName(newer)), newer);
            Replace(Path.Combine(folder.Path, "Databases/db"), older);
        }
        finally
        {
            Directory.Delete(older, recursive: true);
        }
        await using var restored = await OpenAsync(folder);
        await AssertRebuiltAsync(restored, "older copy");
    }

    [Fact]
    public async Task An_index_that_missed_forgotten_deletions_is_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o =>
                o with
                {
                    Folder = folder.Open(),
                    Clock = clock,
                    MaxTombstoneAge = TimeSpan.FromDays(1),
                    TombstoneCleaningInterval = TimeSpan.FromMinutes(1),
                }
        );
        var index = db.Indexes.All[0];
        await db.CatchUpAsync(index);
        db.Indexes.Pause();
        await db.DeleteAsync("users/1");
        clock.Advance(TimeSpan.FromDays(2));
        await db.PutAsync("users/2", "Users", "");
        await Eventually.IsAsync(async () =>
        {
            clock.Advance(TimeSpan.FromMinutes(2));
            await db.PutAsync("users/2", "Users", "");
            return db.Database.Statistics().TombstoneCount == 0;
        });
        db.Indexes.Resume();
        await AssertRebuiltAsync(db, "forgotten", "users/2");
    }

    [Fact]
    public async Task An_index_that_is_being_built_is_not_begun_again_because_deletions_are_forgotten_that_were_there_before_it()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o =>
                o with
                {
                    Folder = folder.Open(),
                    Clock = clock,
                    MaxTombstoneAge = TimeSpan.FromDays(1),
                    TombstoneCleaningInterval = TimeSpan.FromMinutes(1),
                }
        );
        await db.CatchUpAsync(db.Indexes.All[0]);
        // The old index holds the deletion until it is forgotten; the new one has read nothing by then.
        db.Indexes.Pause();
        await db.DeleteAsync("users/1");
        var built = await db.EnsureAsync(null, "name");
        var instance = built.InstanceId;
        clock.Advance(TimeSpan.FromDays(2));
        await Eventually.IsAsync(async () =>
        {
            clock.Advance(TimeSpan.FromMinutes(2));
            await db.PutAsync("users/2", "Users", "");
            return db.Database.Statistics().TombstoneCount == 0;
        });

        db.Indexes.Resume();

        await db.CatchUpAsync(built);
        Assert.Equal(["users/2"], IndexedDatabase.Contents(built).Keys);
        Assert.Empty(built.Errors());
        Assert.Equal(instance, built.InstanceId);
    }

    private static async Task AssertRebuiltAsync(IndexedDatabase db, string reason, string holds = "users/1")
    {
        var index = Assert.Single(db.Indexes.All);
        await Eventually.IsAsync(() => index.Errors().Count > 0);
        await db.CatchUpAsync(index);
        Assert.Equal([holds], IndexedDatabase.Contents(index).Keys);
        var error = Assert.Single(index.Errors());
        Assert.Equal("Rebuild", error.Action);
        Assert.Contains(reason, error.Message);
        Assert.Contains(db.Indexes.Findings, finding => finding.Message.Contains(reason, StringComparison.Ordinal));
    }

    private static async Task FillAsync(CrashableFolder folder)
    {
        await using var db = await OpenAsync(folder);
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(await db.EnsureAsync("Users", "name"));
    }

    private static Task<IndexedDatabase> OpenAsync(CrashableFolder folder) =>
        IndexedDatabase.OpenAsync(folder: folder.Path, change: o => o with { Folder = folder.Open() });

    private static string[] IndexFolders(CrashableFolder folder) =>
        Directory.GetDirectories(Path.Combine(folder.Path, "Databases/db/Indexes"));

    private static void Replace(string target, string source)
    {
        if (Directory.Exists(target))
            Directory.Delete(target, recursive: true);
        foreach (string file in Directory.GetFiles(source, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(target, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }
}

using Jackdaw.Documents;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>What check, compact, recover, copy and delete do with the folders of indexes.</summary>
public class MaintenanceTests
{
    [Fact]
    public async Task Check_looks_into_indexes_and_finds_damage()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        string report = Check(folder, out bool isSound);
        Assert.True(isSound, report);
        Assert.Contains("db/Indexes/", report, StringComparison.Ordinal);

        Damage(IndexFolder(folder));
        report = Check(folder, out isSound);
        Assert.False(isSound);
        Assert.Contains("db/Indexes/", report, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_compacted_database_keeps_its_indexes()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        DataFolderMaintenance.Compact(Options(folder), TextWriter.Null);
        string report = Check(folder, out bool isSound);
        Assert.True(isSound, report);
        await using var db = await OpenAsync(folder);
        var index = Assert.Single(db.Indexes.All);
        await db.PutAsync("users/new", "Users", "");
        await db.CatchUpAsync(index);
        var statistics = index.Statistics();
        Assert.Equal((51, 1), (statistics.Entries, statistics.MapAttempts));
        Assert.Empty(index.Errors());
    }

    [Fact]
    public async Task Compaction_leaves_out_a_damaged_index_which_is_then_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        Damage(IndexFolder(folder));
        var output = new StringWriter();
        DataFolderMaintenance.Compact(Options(folder), output);
        Assert.Contains("left out", output.ToString(), StringComparison.Ordinal);
        await AssertBuiltAgainAsync(folder);
    }

    [Fact]
    public async Task Recovery_deletes_a_damaged_index_which_is_then_built_again()
    {
        using var folder = new CrashableFolder();
        await FillAsync(folder);
        Damage(IndexFolder(folder));
        var output = new StringWriter();
        Assert.True(DataLossRecovery.Run(Options(folder), output));
        Assert.Contains("It was deleted, and will be built again", output.ToString(), StringComparison.Ordinal);
        Assert.False(Directory.Exists(IndexFolder(folder, mayBeMissing: true)));
        await AssertBuiltAgainAsync(folder);
    }

    [Fact]
    public async Task An_online_copy_leaves_indexes_out_and_builds_them_when_it_is_opened()
    {
        using var folder = new CrashableFolder();
        using var copies = new CrashableFolder();
        string copy = Path.Combine(copies.Path, "copy");
        await using (var db = await OpenAsync(folder))
        {
            await db.PutAsync("users/1", "Users", "");
            await db.CatchUpAsync(await db.EnsureAsync("Users", "name"));
            await db.Databases.CopyAsync("db", copy, static (_, _) => { }, default);
        }
        Assert.False(Directory.Exists(Path.Combine(copy, "Databases/db/Indexes")));
        await using var copied = await IndexedDatabase.OpenAsync(new IndexingOptions(), copy);
        var index = Assert.Single(copied.Indexes.All);
        await copied.CatchUpAsync(index);
        Assert.Equal(1, index.Statistics().Entries);
    }

    [Fact]
    public async Task A_deleted_database_takes_its_indexes_along()
    {
        using var folder = new CrashableFolder();
        await using var db = await OpenAsync(folder);
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(await db.EnsureAsync("Users", "name"));
        await db.Databases.DeleteAsync("db", hard: true);
        Assert.Empty(Directory.GetDirectories(Path.Combine(folder.Path, "Databases")));
        Assert.Empty(Directory.GetDirectories(Path.Combine(folder.Path, "Deleted")));
        // Its next life begins without any.
        await db.Databases.CreateAsync("db", "{}"u8.ToArray());
        Assert.Empty(db.Indexes.All);
    }

    [Fact]
    public async Task A_database_in_memory_that_is_deleted_leaves_no_folder_of_an_index()
    {
        await using var db = await IndexedDatabase.OpenAsync(new IndexingOptions());
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(await db.EnsureAsync("Users", "name"));
        await db.Databases.DeleteAsync("db", hard: true);
        await db.Databases.CreateAsync("db", "{}"u8.ToArray());
        Assert.Empty(db.Database.EnvironmentFolders("Indexes"));
    }

    private static async Task AssertBuiltAgainAsync(CrashableFolder folder)
    {
        await using var db = await OpenAsync(folder);
        var index = Assert.Single(db.Indexes.All);
        await db.CatchUpAsync(index);
        Assert.Equal(50, index.Statistics().Entries);
        Assert.Equal(50, index.Statistics().MapAttempts);
    }

    private static async Task FillAsync(CrashableFolder folder)
    {
        await using var db = await OpenAsync(folder);
        var index = await db.EnsureAsync("Users", "name");
        for (int i = 0; i < 50; i++)
            await db.PutAsync($"users/{i}", "Users", $"\"name\":\"n{i}\"");
        await db.CatchUpAsync(index);
    }

    private static Task<IndexedDatabase> OpenAsync(CrashableFolder folder) =>
        IndexedDatabase.OpenAsync(new IndexingOptions { OpenContent = SearchContent.Open }, folder.Path);

    private static DatabasesOptions Options(CrashableFolder folder) =>
        new()
        {
            DataDir = folder.Path,
            Rooms = [IndexesRoom.Instance],
            Storage = new EnvironmentOptions { MaxDataFileBytes = 1L << 30 },
        };

    private static string Check(CrashableFolder folder, out bool isSound)
    {
        var output = new StringWriter();
        isSound = DataFolderMaintenance.Check(Options(folder), output);
        return output.ToString();
    }

    private static string IndexFolder(CrashableFolder folder, bool mayBeMissing = false)
    {
        string indexes = Path.Combine(folder.Path, "Databases/db/Indexes");
        string[] found = Directory.Exists(indexes) ? Directory.GetDirectories(indexes) : [];
        return mayBeMissing && found.Length == 0 ? Path.Combine(indexes, "none") : Assert.Single(found);
    }

    private static void Damage(string folder)
    {
        foreach (
            string file in Directory.GetFiles(folder, "*", SearchOption.AllDirectories).Where(file => Path.GetFileName(file) != "lock")
        )
        {
            byte[] bytes = File.ReadAllBytes(file);
            for (int i = 0; i < bytes.Length; i += 64)
                bytes[i] ^= 0x55;
            File.WriteAllBytes(file, bytes);
        }
    }
}

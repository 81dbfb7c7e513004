using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// A data folder was restored without its <c>System</c>: the start made an empty catalogue and then deleted every database, because no row named their folders. And a
/// database whose own folder was missing was opened as a new, empty one. What is missing must never make the server delete or replace what is there.
/// </summary>
public sealed class MissingFilesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));

    private DatabasesOptions Options => new()
    {
        DataDir = _folder,
        Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
    };

    private string Folder(string name) => Path.Combine(_folder, "Databases", name);

    public void Dispose()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
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
    public async Task Folders_that_no_record_names_are_left_alone_and_told_of()
    {
        await CreateAsync("db");
        Directory.Move(Path.Combine(_folder, "System"), Path.Combine(_folder, "elsewhere"));
        await using (var databases = Databases.Open(Options))
        {
            Assert.Empty(databases.List());
            Assert.Contains("Databases/db", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
            // Nor does its name lead to it, and away with it when that is refused.
            await Assert.ThrowsAsync<DatabaseExistsException>(() => databases.CreateAsync("db", default));
            Assert.Empty(databases.List());
        }
        Directory.Delete(Path.Combine(_folder, "System"), recursive: true);
        Directory.Move(Path.Combine(_folder, "elsewhere"), Path.Combine(_folder, "System"));
        await using (var databases = Databases.Open(Options))
            Assert.Equal(1, databases.Get("db").Statistics().DocumentCount);
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
        Assert.Contains("another database", Assert.Throws<DatabaseLoadException>(() => databases.Get("one")).InnerException!.Message, StringComparison.Ordinal);
        Assert.Throws<DatabaseLoadException>(() => databases.Get("two"));
        Assert.Equal(2, databases.StartFindings.Count);
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
}

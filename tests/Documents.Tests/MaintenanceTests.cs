using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class MaintenanceTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "jackdaw-tests-" + Guid.NewGuid().ToString("N"));

    private DatabasesOptions Options =>
        new()
        {
            DataDir = _folder,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    public void Dispose()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_sound_folder_passes_the_check_and_is_smaller_and_the_same_after_compaction()
    {
        await FillAsync(documents: 2000, deleted: 1800);
        var output = new StringWriter();
        Assert.True(DataFolderMaintenance.Check(Options, output), output.ToString());
        string data = Path.Combine(_folder, "Databases", "db", "data");
        long before = new FileInfo(data).Length;
        DataFolderMaintenance.Compact(Options, output);
        Assert.InRange(new FileInfo(data).Length, 1, before / 2);
        Assert.True(DataFolderMaintenance.Check(Options, output), output.ToString());
        Assert.False(Directory.Exists(Path.Combine(_folder, "Compacting")));
        Assert.False(Directory.Exists(Path.Combine(_folder, "Compacted")));
        await using var databases = Databases.Open(Options);
        var database = databases.Get("db");
        Assert.Equal(
            (200, 1800, 3800),
            (database.Statistics().DocumentCount, database.Statistics().TombstoneCount, database.Statistics().LastEtag)
        );
        await database.SubmitAsync(TestDatabase.Put("new", "{}"));
        using var reader = database.OpenRead("test");
        Assert.True(reader.TryGet("new", out var document));
        Assert.Equal(3801, document.Etag);
    }

    /// <summary>What is dead in a database that nothing is written to any more would otherwise be copied.</summary>
    [Fact]
    public async Task A_compaction_leaves_out_rows_of_replaced_documents()
    {
        await FillAsync(documents: 5000, deleted: 0);
        await using (var databases = Databases.Open(Options))
        {
            for (int i = 100; i < 200; i++)
                await databases.Get("db").SubmitAsync(TestDatabase.Put($"docs/{i}", """{"@metadata":{"@collection":"Docs"}}"""));
        }
        Assert.True(DeadRows() > 0);
        DataFolderMaintenance.Compact(Options, TextWriter.Null);
        Assert.Equal(0, DeadRows());
        var output = new StringWriter();
        Assert.True(DataFolderMaintenance.Check(Options, output), output.ToString());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_compaction_that_a_crash_interrupted_between_two_renames_is_settled_at_the_next_start(int renames)
    {
        await FillAsync(documents: 10, deleted: 0);
        using (var folder = new LinuxDataFolder(_folder))
        {
            // As Swap does, up to the crash.
            CopyFolder(Path.Combine(_folder, "Databases", "db"), Path.Combine(_folder, "Compacting", "db"));
            folder.RenameFolder("Compacting/db", "Compacted/db");
            if (renames > 1)
                folder.RenameFolder("Databases/db", "Compacting/db");
        }
        await using var databases = Databases.Open(Options);
        Assert.Equal(10, databases.Get("db").Statistics().DocumentCount);
        Assert.Empty(Directory.GetDirectories(Path.Combine(_folder, "Compacted")));
        Assert.Empty(Directory.GetDirectories(Path.Combine(_folder, "Compacting")));
    }

    [Fact]
    public async Task A_flipped_bit_fails_the_check()
    {
        await FillAsync(documents: 200, deleted: 0);
        string data = Path.Combine(_folder, "Databases", "db", "data");
        byte[] bytes = await File.ReadAllBytesAsync(data);
        int at = bytes.AsSpan().IndexOf("\"number\":77,"u8);
        Assert.True(at > 0);
        bytes[at + 9] ^= 1;
        await File.WriteAllBytesAsync(data, bytes);
        var output = new StringWriter();
        Assert.False(DataFolderMaintenance.Check(Options, output));
    }

    [Fact]
    public void The_check_finds_what_sound_tables_can_still_get_wrong()
    {
        using var database = new TestDatabase();
        database.Do(TestDatabase.Put("Users/1", """{"@metadata":{"@collection":"Users"}}"""));
        database.Do(TestDatabase.Put("users/2", """{"@metadata":{"@collection":"Users"}}"""));
        Assert.Empty(DocumentsCheck.Run(database.Storage));
        using (var writer = database.Storage.BeginWrite())
        {
            // A collection's counter, a tombstone beside its document with an etag never handed out, a body that is no JSON.
            var tree = writer.Catalog.OpenTree(Schema.CollectionsTree);
            Assert.True(tree.TryGet("users"u8, out var found));
            var collection = CollectionRow.Read("users"u8, found);
            collection.DocumentCount++;
            collection.Write(tree.Reserve("users"u8, collection.SizeBytes, out _));
            Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
            Schema.WriteEtagKey(9, key);
            var tombstone = new NewTombstone
            {
                Id = "USERS/1"u8,
                LowerId = "users/1"u8,
                Etag = 9,
                DocumentEtag = 1,
                CollectionId = 1,
                Collection = "Users"u8,
            };
            byte[] row = new byte[TombstoneRow.SizeOf(tombstone)];
            TombstoneRow.Write(tombstone, row);
            writer.Catalog.OpenTable(Schema.Tombstones).Insert(key, row);
            Schema.WriteEtagKey(2, key);
            var documents = writer.Catalog.OpenTable(Schema.Documents);
            Assert.True(documents.TryGet(key, out var second));
            byte[] broken = second.ToArray();
            broken[^2] = (byte)'[';
            documents.Update(key, broken);
            writer.Commit();
        }
        while (database.Storage.RunJournalStep()) { }
        string findings = string.Join("\n", DocumentsCheck.Run(database.Storage));
        foreach (
            string expected in new[]
            {
                "counts 3 documents",
                "its collection has a document of this id too (etag 1)",
                "the document of this id is older than the deletion (etag 1)",
                "the last etag handed out is 2",
                "its body is not JSON",
                "counts 0 tombstones, and there are 1",
            }
        )
            Assert.Contains(expected, findings, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Maintenance_refuses_a_folder_that_a_server_has_and_one_that_is_none()
    {
        Assert.Throws<UnsupportedFormatException>(() => DataFolderMaintenance.Check(Options, TextWriter.Null));
        Assert.False(Directory.Exists(_folder));
        await using var databases = Databases.Open(Options);
        Assert.Throws<EnvironmentLockedException>(() => DataFolderMaintenance.Check(Options, TextWriter.Null));
        Assert.Throws<EnvironmentLockedException>(() => DataFolderMaintenance.Compact(Options, TextWriter.Null));
    }

    [Fact]
    public async Task A_folder_of_a_newer_format_is_refused()
    {
        await FillAsync(documents: 1, deleted: 0);
        GiveFormat(Schema.FormatVersion + 1, Path.Combine(_folder, "Databases", "db"), Options.Storage);
        await using var databases = Databases.Open(Options);
        var error = Assert.Throws<Jackdaw.Documents.Errors.DatabaseLoadException>(() => databases.Get("db"));
        Assert.Contains($"format {Schema.FormatVersion + 1}", error.Message, StringComparison.Ordinal);
    }

    /// <summary>It ended the process: the environment was closed while the catalogue was still being read.</summary>
    [Fact]
    public async Task A_catalogue_of_a_newer_format_is_refused_and_lets_go_of_its_folder()
    {
        await FillAsync(documents: 1, deleted: 0);
        string system = Path.Combine(_folder, "System");
        GiveFormat(2, system, Catalogue.Options(Options.Storage));

        for (int attempt = 0; attempt < 2; attempt++)
        {
            var error = Assert.Throws<UnsupportedFormatException>(() => Databases.Open(Options));
            Assert.Contains("format 2", error.Message, StringComparison.Ordinal);
        }
    }

    private static void GiveFormat(int version, string folder, EnvironmentOptions options)
    {
        using var disk = new LinuxDisk(folder);
        using var environment = StorageEnvironment.Open(disk, options);
        using (var writer = environment.BeginWrite())
        {
            writer.Catalog.OpenTree(Schema.ValuesTree).Put(Schema.FormatValue, [(byte)version, 0, 0, 0]);
            writer.Commit();
        }
        environment.CloseCleanly();
    }

    private long DeadRows()
    {
        using var disk = new LinuxDisk(Path.Combine(_folder, "Databases", "db"));
        using var environment = StorageEnvironment.Open(disk, Options.Storage);
        using var reader = environment.BeginRead("test");
        return reader.Catalog.OpenTable(Schema.Documents).DeadRowCount;
    }

    private async Task FillAsync(int documents, int deleted)
    {
        await using var databases = Databases.Open(Options);
        await databases.CreateAsync("db", default);
        var batch = BatchOperation.Rent();
        for (int i = 0; i < documents; i++)
            TestDatabase.AddPut(
                batch,
                $"docs/{i}",
                $$$"""{"number":{{{i}}},"text":"{{{new string('x', 500)}}}","@metadata":{"@collection":"Docs"}}"""
            );
        await databases.Get("db").SubmitAsync(batch);
        batch.Return();
        batch = BatchOperation.Rent();
        for (int i = 0; i < deleted; i++)
        {
            var delete = batch.AddDelete();
            delete.SetId(Encoding.ASCII.GetBytes($"docs/{i}"));
        }
        if (deleted > 0)
            await databases.Get("db").SubmitAsync(batch);
    }

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

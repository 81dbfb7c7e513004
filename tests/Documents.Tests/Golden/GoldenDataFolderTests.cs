using System.Buffers.Binary;
using System.Formats.Tar;
using System.IO.Compression;
using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Golden;

/// <summary>
/// A whole data folder of each documents' format, written when the format came about and never again: as a crash left it, the
/// catalogue and a database with
/// documents, tombstones, an identity and a range of ids. What this program reads out of it must not change. A new format gets a
/// folder of its own, written by
/// running this class with JACKDAW_WRITE_GOLDEN_DATA=FILE.
/// </summary>
public sealed class GoldenDataFolderTests : IDisposable
{
    private const int Birds = 60;
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-golden-data-").FullName;

    private DatabasesOptions Options => OptionsOf(_folder);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_data_folder_of_format_4_opens_with_everything_in_it_and_goes_on()
    {
        if (Environment.GetEnvironmentVariable("JACKDAW_WRITE_GOLDEN_DATA") is { Length: > 0 } target)
            await WriteAsync(target);
        Extract("data-format-4.tar.gz");

        await using (var databases = Databases.Open(Options))
        {
            var aviary = databases.Get("aviary");
            VerifyContents(aviary);
            var identity = new NextIdentityOperation("nests");
            await aviary.SubmitAsync(identity);
            Assert.Equal(3, identity.Value);
            await aviary.SubmitAsync(TestDatabase.Put("birds/new", "{}"));
            Assert.Equal(Birds + 10, aviary.Statistics().LastEtag);
        }
        var output = new StringWriter();
        Assert.True(DataFolderMaintenance.Check(Options, output), output.ToString());
    }

    /// <summary>In 1, rows of replaced documents were removed at once, and nothing counted them; in 2, a put removed its id's tombstone
    /// in whatever collection it was; in 3, rows had no dates.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_database_of_an_older_format_is_refused_with_both_formats_named_and_stays_as_it_is(int format)
    {
        Extract("data-format-3-storage-2.tar.gz");
        if (format != 3)
            PretendFormat(format);
        for (int attempt = 0; attempt < 2; attempt++)
        {
            await using var databases = Databases.Open(Options);
            var error = Assert.Throws<DatabaseLoadException>(() => databases.Get("aviary"));
            Assert.Contains($"its documents have format {format}, and this server reads format 4", error.Message, StringComparison.Ordinal);
        }
        var output = new StringWriter();
        Assert.False(DataFolderMaintenance.Check(Options, output));
        Assert.Contains($"format {format}", output.ToString(), StringComparison.Ordinal);
    }

    /// <summary>Overwrites the number of the documents' format.</summary>
    private void PretendFormat(int format)
    {
        using var disk = new LinuxDisk(Path.Combine(_folder, "Databases", "aviary"));
        var environment = StorageEnvironment.Open(disk, OptionsOf(_folder).Storage);
        using (var writer = environment.BeginWrite())
        {
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            BinaryPrimitives.WriteInt32LittleEndian(values.Reserve(Schema.FormatValue, sizeof(int), out _), format);
            writer.Commit();
        }
        environment.CloseCleanly();
    }

    /// <summary>Whatever the format of its documents.</summary>
    [Theory]
    [InlineData("data-format-1.tar.gz")]
    [InlineData("data-format-2.tar.gz")]
    [InlineData("data-format-3.tar.gz")]
    public void A_data_folder_of_storage_format_1_is_refused_with_both_versions_named(string archive)
    {
        Extract(archive);
        var error = Assert.Throws<UnsupportedFormatException>(() => Databases.Open(Options));
        Assert.Contains("format version 1", error.Message, StringComparison.Ordinal);
        Assert.Contains("version 2 only", error.Message, StringComparison.Ordinal);
    }

    private static void VerifyContents(Database aviary)
    {
        // Each bird, one of them again, the deletion, the nest, the large one, the one that moved: there, deleted, there; the one that
        // stays for a while, written twice.
        Assert.Equal(
            (Birds + 3, 2, Birds + 9),
            (aviary.Statistics().DocumentCount, aviary.Statistics().TombstoneCount, aviary.Statistics().LastEtag)
        );
        using var reader = aviary.OpenRead("golden");
        for (int i = 0; i < Birds; i++)
        {
            Assert.Equal(i != 7, reader.TryGet($"BIRDS/{i}", out var bird));
            if (i == 7)
                continue;
            Assert.Equal($"Birds/{i}", Encoding.UTF8.GetString(bird.Id));
            Assert.Equal(i == 3 ? Birds + 1 : i + 1, bird.Etag);
            string body = Encoding.UTF8.GetString(bird.Body);
            Assert.Contains($"\"number\":{i}", body, StringComparison.Ordinal);
            Assert.Contains("9007199254740993", body, StringComparison.Ordinal);
        }
        Assert.True(reader.TryGet("nests/1", out var nest));
        Assert.Contains("é𝄞", Encoding.UTF8.GetString(nest.Body), StringComparison.Ordinal);
        Assert.True(reader.TryGet("large", out var large));
        Assert.Equal(40_000, large.Body.Count((byte)'x') - 1);
        Assert.True(reader.TryGet("wanderer", out var wanderer));
        Assert.Equal(("Nests", Birds + 7), (Encoding.UTF8.GetString(wanderer.Collection), wanderer.Etag));
        Assert.True(reader.TryGetNewestTombstone("WANDERER", null, out var left));
        Assert.Equal(("Birds", Birds + 6), (Encoding.UTF8.GetString(left.Collection), left.Etag));
        Assert.Equal(
            (1, new DateTime(9000, 1, 2, 3, 4, 5, DateTimeKind.Utc).Ticks),
            (reader.CountOfDates(DocumentDateKind.Expires), reader.FirstDate(DocumentDateKind.Expires))
        );
        Assert.Equal(
            (1, new DateTime(9000, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks),
            (reader.CountOfDates(DocumentDateKind.Refresh), reader.FirstDate(DocumentDateKind.Refresh))
        );
        Assert.Equal(
            new DueDocumentsSettings { FrequencyInSec = 7, MaxItemsToProcess = 9 },
            aviary.DueDocumentsSettings(DocumentDateKind.Expires)
        );
        Assert.Equal("nests|", Assert.Single(reader.Identities()).Key);
    }

    private static async Task FillAsync(Database aviary)
    {
        for (int i = 0; i < Birds; i++)
            await aviary.SubmitAsync(TestDatabase.Put($"Birds/{i}", BirdOf(i)));
        // Both leave a dead row in the folder.
        await aviary.SubmitAsync(TestDatabase.Put("birds/3", BirdOf(3)));
        var deletion = BatchOperation.Rent();
        deletion.AddDelete().SetId("birds/7");
        await aviary.SubmitAsync(deletion);
        await aviary.SubmitAsync(TestDatabase.Put("nests|", """{"text":"é𝄞","@metadata":{"@collection":"Nests"}}"""));
        await aviary.SubmitAsync(new NextIdentityOperation("nests"));
        await aviary.SubmitAsync(TestDatabase.Put("large", $$"""{"text":"{{new string('x', 40_000)}}"}"""));
        await aviary.SubmitAsync(TestDatabase.Put("Wanderer", BirdOf(99)));
        await aviary.SubmitAsync(TestDatabase.Delete("wanderer"));
        await aviary.SubmitAsync(TestDatabase.Put("Wanderer", """{"@metadata":{"@collection":"Nests"}}"""));
        await aviary.SubmitAsync(TestDatabase.Put("guest", """{"@metadata":{"@expires":"2026-01-01"}}"""));
        await aviary.SubmitAsync(
            TestDatabase.Put("guest", """{"@metadata":{"@expires":"9000-01-02T03:04:05.0000000Z","@refresh":"9000-01-01"}}""")
        );
        await aviary.ConfigureDueDocumentsAsync(
            DocumentDateKind.Expires,
            new DueDocumentsSettings { FrequencyInSec = 7, MaxItemsToProcess = 9 }
        );
    }

    private static string BirdOf(int number) =>
        $$$"""{"number":{{{number}}},"large":9007199254740993,"@metadata":{"@collection":"Birds"}}""";

    private static DatabasesOptions OptionsOf(string folder) =>
        new()
        {
            DataDir = folder,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    private void Extract(string archive)
    {
        using var file = File.OpenRead(Path.Combine(AppContext.BaseDirectory, "Golden", archive));
        using var unpacked = new GZipStream(file, CompressionMode.Decompress);
        TarFile.ExtractToDirectory(unpacked, _folder, overwriteFiles: true);
    }

    /// <summary>Taken while the databases are open and at rest: what a crash would leave.</summary>
    private static async Task WriteAsync(string target)
    {
        string source = Directory.CreateTempSubdirectory("jackdaw-golden-data-new-").FullName;
        await using (var databases = Databases.Open(OptionsOf(source)))
        {
            await databases.CreateAsync("aviary", default);
            await FillAsync(databases.Get("aviary"));
            await using var file = File.Create(target);
            await using var packed = new GZipStream(file, CompressionLevel.SmallestSize);
            await TarFile.CreateFromDirectoryAsync(source, packed, includeBaseDirectory: false);
        }
        Directory.Delete(source, recursive: true);
    }
}

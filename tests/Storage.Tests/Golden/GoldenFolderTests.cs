using System.Formats.Tar;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Golden;

/// <summary>
/// A folder of each format version, written when the version came about and never again: as a crash left it, with something in the data
/// file and something only in the journal. What this program reads out of it must not change. A new version gets a folder of its
/// own, written by
/// running this class with JACKDAW_WRITE_GOLDEN=FILE; the old one is then refused, and says so here.
/// </summary>
public sealed class GoldenFolderTests : IDisposable
{
    private static readonly BTreeOptions TermOptions = new() { KeepsCounts = true, Embeds = new EmbeddedStates(4) };

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-golden-").FullName;

    private static EnvironmentOptions Options =>
        new()
        {
            InitialDataFileBytes = 128 << 10,
            MaxDataFileBytes = 1L << 30,
            JournalFileBytes = 128 << 10,
            Random = new Random(1),
        };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_folder_of_format_2_opens_with_everything_in_it()
    {
        if (Environment.GetEnvironmentVariable("JACKDAW_WRITE_GOLDEN") is { Length: > 0 } target)
            Write(target);
        Extract("format-2.tar.gz");
        using var disk = new LinuxDisk(_folder);
        using var environment = StorageEnvironment.Open(disk, Options);
        Assert.True(environment.Recovered.ReplayedTransactions > 0);
        using var reader = environment.BeginRead("golden");
        VerifyContents(reader);
        Assert.Empty(EnvironmentCheck.Run(reader, reader.VerifyPage, []).Findings);
    }

    [Fact]
    public void A_folder_of_a_newer_format_is_refused_and_left_untouched()
    {
        Extract("format-2.tar.gz");
        foreach (var name in (string[])["header.a", "header.b"])
            PretendVersion(Path.Combine(_folder, name), 3);
        var before = Fingerprint();
        using var disk = new LinuxDisk(_folder);
        var refusal = Assert.Throws<UnsupportedFormatException>(() => StorageEnvironment.Open(disk, Options));
        Assert.Contains("version 3", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(before, Fingerprint());
    }

    [Fact]
    public void A_folder_of_format_1_is_refused_and_left_untouched()
    {
        Extract("format-1.tar.gz");
        var before = Fingerprint();
        using var disk = new LinuxDisk(_folder);
        var refusal = Assert.Throws<UnsupportedFormatException>(() => StorageEnvironment.Open(disk, Options));
        Assert.Contains("version 1", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(before, Fingerprint());
    }

    [Fact]
    public void A_folder_that_lost_both_headers_is_refused_and_left_untouched()
    {
        Extract("format-2.tar.gz");
        File.Delete(Path.Combine(_folder, "header.a"));
        File.Delete(Path.Combine(_folder, "header.b"));
        var before = Fingerprint();
        using var disk = new LinuxDisk(_folder);
        Assert.Throws<CorruptedDataException>(() => StorageEnvironment.Open(disk, Options));
        Assert.Equal(before, Fingerprint());
    }

    private static byte[] Term(int i) => Encoding.UTF8.GetBytes($"term {i:D4}{new string('-', 600)}");

    private static unsafe void PretendVersion(string path, int version)
    {
        var block = File.ReadAllBytes(path);
        BitConverter.TryWriteBytes(block.AsSpan(8), version);
        fixed (byte* bytes = block)
            BitConverter.TryWriteBytes(block.AsSpan(508), PageChecksum.Finish(PageChecksum.Continue(uint.MaxValue, bytes, 508)));
        File.WriteAllBytes(path, block);
    }

    /// <summary>All files but the lock, which is taken before anything is known of the folder.</summary>
    private string Fingerprint() =>
        string.Join(
            '\n',
            Directory
                .EnumerateFiles(_folder, "*", SearchOption.AllDirectories)
                .Where(file => Path.GetFileName(file) != "lock")
                .Order(StringComparer.Ordinal)
                .Select(file => $"{file} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file)))}")
        );

    private static void Fill(StorageEnvironment environment)
    {
        for (var round = 0; round < 3; round++)
        {
            for (var i = 0; i < 40; i++)
            {
                using var writer = environment.BeginWrite();
                FillOne(writer, round, i);
                writer.Commit();
                Assert.True(environment.RunJournalStep());
                environment.RunSpareStep();
            }
            if (round < 2)
                environment.FlushAndSync();
        }
    }

    private static void FillOne(WriteTransaction writer, int round, int i)
    {
        writer.Catalog.OpenTree("names").Put(Encoding.UTF8.GetBytes($"name {i:D4}"), Encoding.UTF8.GetBytes($"round {round}"));
        writer.Catalog.OpenFixedTree<long>("numbers").Put(i * 1_000_003L, round);
        if (i % 10 == 0)
            writer.Catalog.OpenTree("large").Put(Encoding.UTF8.GetBytes($"{i}"), Enumerable.Repeat((byte)(i + round), 20_000).ToArray());
        var terms = writer.Catalog.OpenTree("terms", TermOptions);
        terms.Put(Term(i), new byte[80]);
        terms.Embedded.OpenPostingSet(Term(i)).Add([round, 1_000L * (i + round + 1)]);
        if (i % 3 == round)
            writer.Catalog.OpenTree("names").Delete(Encoding.UTF8.GetBytes($"name {i:D4}"));
    }

    private static void VerifyContents(ReadTransaction reader)
    {
        var names = reader.Catalog.OpenTree("names");
        var numbers = reader.Catalog.OpenFixedTree<long>("numbers");
        var terms = reader.Catalog.OpenTree("terms", TermOptions);
        Assert.Equal(40, numbers.EntryCount);
        Assert.Equal(20, terms.CountRange(Term(7), Term(27)));
        for (var i = 0; i < 40; i++)
        {
            // Each round puts every name and then deletes a third of them; the last round decides.
            Assert.Equal(i % 3 != 2, names.TryGet(Encoding.UTF8.GetBytes($"name {i:D4}"), out var name));
            if (i % 3 != 2)
                Assert.Equal("round 2", Encoding.UTF8.GetString(name));
            Assert.True(numbers.TryGet(i * 1_000_003L, out var number));
            Assert.Equal(2, number);
            Assert.Equal(i, terms.Rank(Term(i)));
            var postings = terms.Embedded.OpenPostingSet(Term(i));
            Assert.True(postings.EntryCount == 6 && postings.Contains(1) && postings.Contains(1_000L * (i + 3)));
            if (i % 10 != 0)
                continue;
            Assert.True(reader.Catalog.OpenTree("large").TryGet(Encoding.UTF8.GetBytes($"{i}"), out var large));
            Assert.Equal(20_000, large.Length);
            Assert.False(large.ContainsAnyExcept((byte)(i + 2)));
        }
    }

    private void Extract(string archive)
    {
        using var file = File.OpenRead(Path.Combine(AppContext.BaseDirectory, "Golden", archive));
        using var unpacked = new GZipStream(file, CompressionMode.Decompress);
        TarFile.ExtractToDirectory(unpacked, _folder, overwriteFiles: true);
    }

    private static void Write(string target)
    {
        var source = Directory.CreateTempSubdirectory("jackdaw-golden-new-").FullName;
        using (var disk = new LinuxDisk(source))
        using (var environment = StorageEnvironment.Open(disk, Options))
            Fill(environment);
        File.Delete(Path.Combine(source, "lock"));
        using (var file = File.Create(target))
        using (var packed = new GZipStream(file, CompressionLevel.SmallestSize))
            TarFile.CreateFromDirectory(source, packed, includeBaseDirectory: false);
        Directory.Delete(source, recursive: true);
    }
}

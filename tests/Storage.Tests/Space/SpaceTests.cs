using System.Buffers.Binary;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Checking;
using Jackdaw.Storage.Transactions;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Space;

/// <summary>
/// What becomes of the file when rows like documents come, change and go: 1 KB each, primary key an etag that every change
/// renews, found by a
/// unique id and by collection and etag.
/// </summary>
public sealed class SpaceTests(ITestOutputHelper output) : IDisposable
{
    private const int RowBytes = 1_000;
    private static readonly TableSchema Schema = new("documents");
    private static readonly TableIndex ById = Schema.AddIndex("id", isUnique: true, IdOf);

    private readonly EnvironmentFolder _folder = new(journalFileBytes: 32 << 20);
    private readonly byte[] _row = new byte[RowBytes];
    private long _etag;

    static SpaceTests() => Schema.AddIndex("collection", isUnique: false, CollectionOf);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Deleting_every_row_leaves_one_page_a_tree_and_gives_the_space_back()
    {
        const int rows = 20_000;
        Load(rows);
        long before = AllocatedBytes();
        int[] order = [.. Enumerable.Range(0, rows)];
        new Random(3).Shuffle(order);
        InBatches(
            rows,
            500,
            (tx, from, to) =>
            {
                Table table = tx.Catalog.OpenTable(Schema);
                for (int i = from; i < to; i++)
                    Assert.True(table.Delete(EtagOf(table, order[i])));
            }
        );
        _folder.Environment.FlushAndSync();

        CheckReport report = Check();
        Assert.All(report.Structures, structure => Assert.InRange(structure.PageCount, 0, 1));
        Assert.Equal(report.PageCount - report.Structures.Count, report.FreePages);
        long after = AllocatedBytes();
        output.WriteLine($"allocated: {before:N0} bytes loaded, {after:N0} when empty");
        Assert.True(after < before / 10, $"{after:N0} bytes of {before:N0} are still allocated");

        Load(rows); // what was punched is used again
        Assert.Equal(rows, Check().Structures.Single(structure => structure.Name == "documents").Entries);
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public void Rewriting_every_row_ten_times_keeps_the_file_under_twice_one_load(bool atRandom) => Rewrite(rows: 8_000, atRandom);

    [Fact]
    [Trait("Category", "Long")]
    public void Rewriting_a_million_rows_ten_times_keeps_the_file_under_twice_one_load() => Rewrite(rows: 1_000_000, atRandom: true);

    private void Rewrite(int rows, bool atRandom)
    {
        Load(rows);
        long loaded = Used();
        long file = FileBytes();
        var random = new Random(11);
        int[] order = [.. Enumerable.Range(0, rows)];
        for (int round = 1; round <= 10; round++)
        {
            if (atRandom)
                random.Shuffle(order);
            InBatches(
                rows,
                500,
                (tx, from, to) =>
                {
                    Table table = tx.Catalog.OpenTable(Schema);
                    for (int i = from; i < to; i++)
                        table.Replace(EtagOf(table, order[i]), NextEtag(), RowOf(order[i]));
                }
            );
            long used = Used();
            output.WriteLine(
                $"round {round}: {used / (double)loaded:F2} x the pages of one load in use, file {FileBytes() / (double)file:F2} x"
            );
            Assert.True(used < 1.5 * loaded, $"round {round}: {used:N0} bytes in use after {loaded:N0}");
        }
        Assert.True(FileBytes() < 2 * file, $"the file has {FileBytes():N0} bytes, after one load {file:N0}");
        Check();
    }

    private void Load(int rows) =>
        InBatches(
            rows,
            500,
            (tx, from, to) =>
            {
                Table table = tx.Catalog.OpenTable(Schema);
                for (int i = from; i < to; i++)
                    table.Insert(NextEtag(), RowOf(i));
            }
        );

    private void InBatches(int count, int size, Action<WriteTransaction, int, int> work)
    {
        for (int from = 0; from < count; from += size)
        {
            using (WriteTransaction tx = _folder.Environment.BeginWrite())
            {
                work(tx, from, Math.Min(count, from + size));
                tx.Commit();
            }
            while (_folder.Environment.RunJournalStep()) { }
            while (_folder.Environment.RunSpareStep()) { }
            while (_folder.Environment.RunFlushStep()) { }
            while (_folder.Environment.RunSyncStep()) { }
        }
    }

    private byte[] RowOf(int number)
    {
        new Random(number).NextBytes(_row);
        BinaryPrimitives.WriteInt32BigEndian(_row, number);
        return _row;
    }

    private byte[] NextEtag()
    {
        var key = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(key, ++_etag);
        return key;
    }

    private static byte[] EtagOf(Table table, int number)
    {
        Span<byte> id = stackalloc byte[40];
        Assert.True(table.TryGetByIndex(ById, id[..WriteId(number, id)], out ReadOnlySpan<byte> primaryKey, out _));
        return primaryKey.ToArray();
    }

    /// <summary>Ids as people choose them, not in the order of the rows.</summary>
    private static int WriteId(int number, Span<byte> destination)
    {
        "documents/"u8.CopyTo(destination);
        BinaryPrimitives.WriteUInt32BigEndian(destination[10..], (uint)number * 2_654_435_761u);
        return 14;
    }

    private static int IdOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination) =>
        WriteId(BinaryPrimitives.ReadInt32BigEndian(row), destination);

    private static int CollectionOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination)
    {
        destination[0] = (byte)(row[3] % 5);
        return 1;
    }

    private CheckReport Check()
    {
        CheckReport report = _folder.Environment.Check([Schema]);
        Assert.True(report.IsSound, string.Join(Environment.NewLine, report.Findings));
        return report;
    }

    /// <summary>Bytes of the pages that are in use.</summary>
    private long Used()
    {
        using var reader = _folder.Environment.BeginRead("test");
        return (reader.PageCount - Storage.Space.FreeSpace.FreeCount(reader)) * PageLayout.PageSize;
    }

    private long FileBytes() => new FileInfo(_folder.DataPath).Length;

    /// <summary>Bytes that the file system has set aside for the data file.</summary>
    private long AllocatedBytes()
    {
        using var du = System.Diagnostics.Process.Start(
            new System.Diagnostics.ProcessStartInfo("du", ["--block-size=1", _folder.DataPath]) { RedirectStandardOutput = true }
        )!;
        string printed = du.StandardOutput.ReadToEnd();
        du.WaitForExit();
        return long.Parse(printed.Split('\t')[0], System.Globalization.CultureInfo.InvariantCulture);
    }
}

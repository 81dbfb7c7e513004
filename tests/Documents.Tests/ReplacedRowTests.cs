using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>Rows of replaced documents stay for a while: nobody sees them, and they do not become many.</summary>
public sealed class ReplacedRowTests
{
    private const int Ids = 400,
        Collections = 3;

    [Fact]
    public void Documents_written_and_deleted_at_random_are_read_as_they_are_and_what_they_replaced_stays_bounded()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_SEED"), out int given) ? given : Random.Shared.Next();
        try
        {
            Run(new Random(seed));
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"JACKDAW_SEED={seed}: {failure.Message}", failure);
        }
    }

    [Fact]
    public void When_every_document_is_deleted_a_page_a_tree_is_left()
    {
        using var database = new TestDatabase();
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < Ids; i++)
                database.Do(Put(i, round));
        }
        Assert.True(Dead(database) > 0);
        for (int i = 0; i < Ids; i++)
            database.Do(Delete(i));
        Assert.Equal(0, Dead(database));
        using var reader = database.Storage.BeginRead("test");
        foreach (string tree in new[] { "documents", "documents/id", "documents/collection" })
            Assert.Equal((0, 1), (reader.Catalog.OpenTree(tree).EntryCount, reader.Catalog.OpenTree(tree).PageCount));
    }

    /// <summary>It was refused as too large: what others had replaced was removed in it.</summary>
    [Fact]
    public void A_large_operation_is_not_refused_because_of_what_is_to_be_removed()
    {
        const int Count = 30_000,
            Overwritten = 9_000;
        using var database = new TestDatabase(maxTransactionBytes: 16 << 20);
        var random = new Random(5);
        for (int first = 0; first < Count; first += 1000)
            database.Do(PutAll(Enumerable.Range(first, 1000), 900));
        while (Dead(database) < Count / 2 - 1000)
            database.Do(PutAll(Enumerable.Range(0, 1000).Select(_ => random.Next(Count)).Distinct(), 900));
        database.Do(PutAll(Enumerable.Range(0, Overwritten).Select(_ => random.Next(Count)).Distinct(), 900));
        long left = Dead(database);
        Assert.True(left > Count / 2, $"{left} rows are dead: the operation was no large one");
        for (int i = 0; i < 20; i++)
            database.Do(PutAll([i], 900));
        Assert.InRange(Dead(database), Count / 3, Count / 2 + 100);
    }

    [Fact]
    public void A_document_that_is_written_over_and_over_leaves_no_dead_rows()
    {
        using var database = new TestDatabase(recentEtags: 100);
        for (int i = 0; i < 200; i++)
            database.Do(Put(i, 1));
        for (int i = 0; i < 150; i++)
            database.Do(Put(199, i));
        Assert.Equal(0, Dead(database));
        database.Do(Put(0, 2));
        Assert.Equal(1, Dead(database));
    }

    /// <summary>It ended all writing, also after each restart: the same page was met again.</summary>
    [Fact]
    public void A_damaged_page_that_only_the_removal_of_dead_rows_needs_ends_the_removal_and_nothing_else()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-dead-").FullName;
        try
        {
            const int Count = 2000,
                Replaced = 990;
            using (var disk = new LinuxDisk(folder))
            using (var database = new TestDatabase(disk: disk, ownsDisk: false))
            {
                database.Do(PutAll(Enumerable.Range(0, Count), 900));
                database.Do(PutAll(Enumerable.Range(0, Replaced), 900));
                database.Storage.FlushAndSync();
                database.Storage.CloseCleanly();
            }
            Damage(Path.Combine(folder, "data"));
            for (int start = 0; start < 2; start++)
            {
                using var disk = new LinuxDisk(folder);
                using var database = new TestDatabase(disk: disk, ownsDisk: false);
                for (int i = 0; i < 100; i++)
                    database.Do(PutAll([1500 + (start * 100) + i], 900));
                database.Do(PutAll(Enumerable.Range(1800, 50), 900));
                Assert.NotNull(database.Writer.TidyingFault);
                Assert.Null(database.Storage.Poison);
                using var reader = new DocumentsReader(database.Storage.BeginRead("test"), null);
                Assert.Equal(Count, reader.DocumentCount);
                Assert.True(reader.TryGet($"things/{1500 + (start * 100)}", out var document));
                Assert.True(document.Etag > Count + Replaced);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>A bit of the first document's first row: it was replaced, and lies dead among others.</summary>
    private static void Damage(string file)
    {
        byte[] bytes = File.ReadAllBytes(file);
        int at = bytes.AsSpan().IndexOf("things/5Things"u8);
        Assert.True(at > 0);
        bytes[at + 300] ^= 1;
        File.WriteAllBytes(file, bytes);
    }

    private static void Run(Random random)
    {
        using var database = new TestDatabase();
        var etags = new SortedDictionary<long, int>();
        var idsToEtags = new Dictionary<int, long>();
        long etag = 0;
        for (int i = 0; i < 3000; i++)
        {
            int id = random.Next(i < 2000 ? Ids : Ids / 4);
            bool exists = idsToEtags.Remove(id, out long old);
            if (exists)
                etags.Remove(old);
            bool isPut = !exists || random.Next(4) > 0;
            database.Do(isPut ? Put(id, i) : Delete(id));
            etag++;
            if (isPut)
            {
                etags[etag] = id;
                idsToEtags[id] = etag;
            }
            if (i % 250 == 0)
                RequireSame(database, etags);
        }
        RequireSame(database, etags);
    }

    private static void RequireSame(TestDatabase database, SortedDictionary<long, int> etags)
    {
        using (var reader = new DocumentsReader(database.Storage.BeginRead("test"), null))
        {
            Assert.Equal(etags.Count, reader.DocumentCount);
            Assert.Equal(etags.Count == 0 ? 0 : etags.Keys.Max(), reader.LastDocumentEtag);
            Assert.Equal(etags, Walk(reader.ByEtag(0)));
            Assert.Equal(etags.Reverse(), Walk(reader.NewestFirst()));
            long middle = etags.Count == 0 ? 0 : etags.Keys.ElementAt(etags.Count / 2);
            for (int collection = 0; collection < Collections; collection++)
            {
                var ofIt = etags.Where(pair => pair.Value % Collections == collection).ToList();
                Assert.Equal(ofIt, Walk(reader.ByEtag($"Things{collection}", 0)));
                Assert.Equal(ofIt.Where(pair => pair.Key > middle), Walk(reader.ByEtag($"Things{collection}", middle)));
                Assert.Equal(Enumerable.Reverse(ofIt), Walk(reader.NewestFirst($"Things{collection}")));
                int above = ofIt.Count(pair => pair.Key > middle);
                Assert.Equal(new CountedChanges(above, IsExact: true), reader.CountDocuments($"Things{collection}", middle, Ids));
            }
            foreach (var (etag, id) in etags)
            {
                Assert.True(reader.TryGet($"things/{id}", out var document));
                Assert.Equal(etag, document.Etag);
            }
        }
        using (var transaction = database.Storage.BeginRead("test"))
        {
            var counters = transaction.Catalog.OpenTable(Schema.Documents).Dead!.Counters;
            Assert.True(counters.Bytes <= counters.LiveBytes / 2, $"{counters.Bytes} dead bytes beside {counters.LiveBytes}");
        }
        var report = database.Storage.Check([Schema.Documents, Schema.Tombstones]);
        Assert.True(report.IsSound, string.Join("; ", report.Findings));
        Assert.Empty(DocumentsCheck.Run(database.Storage));
    }

    private static IEnumerable<KeyValuePair<long, int>> Walk(DocumentCursor cursor)
    {
        while (cursor.MoveNext())
            yield return new(
                cursor.Current.Etag,
                int.Parse(
                    Encoding.UTF8.GetString(cursor.Current.Id).AsSpan("things/".Length),
                    System.Globalization.CultureInfo.InvariantCulture
                )
            );
    }

    private static long Dead(TestDatabase database)
    {
        using var reader = database.Storage.BeginRead("test");
        return reader.Catalog.OpenTable(Schema.Documents).DeadRowCount;
    }

    private static BatchOperation Put(int id, int number) =>
        TestDatabase.Put(
            $"things/{id}",
            $$$"""{"number":{{{number}}},"text":"{{{new string('x', number * 37 % 900)}}}","@metadata":{"@collection":"Things{{{id % Collections}}}"}}"""
        );

    private static BatchOperation PutAll(IEnumerable<int> ids, int bytes)
    {
        var batch = BatchOperation.Rent();
        foreach (int id in ids)
            TestDatabase.AddPut(
                batch,
                $"things/{id}",
                $$$"""{"text":"{{{new string('x', bytes)}}}","@metadata":{"@collection":"Things"}}"""
            );
        return batch;
    }

    private static BatchOperation Delete(int id)
    {
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId(Encoding.ASCII.GetBytes($"things/{id}"));
        return batch;
    }
}

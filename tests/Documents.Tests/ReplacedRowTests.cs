using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Reading;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>Rows of replaced and deleted documents stay for a while: nobody sees them, and they do not become many.</summary>
public sealed class ReplacedRowTests
{
    private const int Ids = 400;

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
        const int Count = 30_000, Overwritten = 9_000;
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
            Assert.Equal(etags, Walk(reader.ByEtag("Things", 0)));
            Assert.Equal(etags.Reverse(), Walk(reader.NewestFirst()));
            Assert.Equal(etags.Reverse(), Walk(reader.NewestFirst("Things")));
            long middle = etags.Count == 0 ? 0 : etags.Keys.ElementAt(etags.Count / 2);
            int above = etags.Keys.Count(key => key > middle);
            Assert.Equal(new CountedChanges(above, IsExact: true), reader.CountDocuments("Things", middle, Ids));
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
            yield return new(cursor.CurrentEtag, int.Parse(Encoding.UTF8.GetString(cursor.Current.Id).AsSpan("things/".Length), System.Globalization.CultureInfo.InvariantCulture));
    }

    private static long Dead(TestDatabase database)
    {
        using var reader = database.Storage.BeginRead("test");
        return reader.Catalog.OpenTable(Schema.Documents).DeadRowCount;
    }

    private static BatchOperation Put(int id, int number) => TestDatabase.Put(
        $"things/{id}", $$$"""{"number":{{{number}}},"text":"{{{new string('x', number * 37 % 900)}}}","@metadata":{"@collection":"Things"}}""");

    private static BatchOperation PutAll(IEnumerable<int> ids, int bytes)
    {
        var batch = BatchOperation.Rent();
        foreach (int id in ids)
            TestDatabase.AddPut(batch, $"things/{id}", $$$"""{"text":"{{{new string('x', bytes)}}}","@metadata":{"@collection":"Things"}}""");
        return batch;
    }

    private static BatchOperation Delete(int id)
    {
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId(Encoding.ASCII.GetBytes($"things/{id}"));
        return batch;
    }
}

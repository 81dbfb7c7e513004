using System.Text;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Postings;
using Jackdaw.Search.Reading;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>An index whose documents are updated again and again stays as small as a fresh one.</summary>
[Trait("Category", "Slow")]
public sealed class UpdateRoundsTests(ITestOutputHelper output)
{
    private const int Sources = 12_000;
    private const int InBatch = 1_500;

    [Fact]
    public void After_ten_rounds_of_updating_everything_an_index_is_little_larger_than_a_fresh_one_and_has_the_same_terms()
    {
        var random = new Random(Seeds.Of(7));
        using var updated = new IndexScene();
        var last = new string[Sources][];
        for (int round = 0; round <= 10; round++)
        {
            int[] order = [.. Enumerable.Range(0, Sources)];
            if (round > 0)
                random.Shuffle(order);
            foreach (int[] some in order.Chunk(InBatch))
            {
                foreach (int source in some)
                    Put(updated, source, last[source] = Values(source, random));
                updated.Commit();
            }
        }
        using var fresh = new IndexScene();
        foreach (int[] some in Enumerable.Range(0, Sources).Chunk(InBatch))
        {
            foreach (int source in some)
                Put(fresh, source, last[source]);
            fresh.Commit();
        }
        (long pagesUpdated, long pagesFresh) = (updated.UsedPages(), fresh.UsedPages());
        output.WriteLine($"{pagesUpdated} pages after ten rounds, {pagesFresh} in a fresh index");
        Assert.True(pagesUpdated <= 1.3 * pagesFresh, $"{pagesUpdated} pages after ten rounds, {pagesFresh} in a fresh index");
        using var readUpdated = updated.Read();
        using var readFresh = fresh.Read();
        Assert.Empty(SearchCheck.Run(readUpdated));
        Assert.Empty(SearchCheck.Run(readFresh));
        foreach (string field in (string[])["Company", "Total", "Body", "Day"])
            Assert.Equal(DocumentFrequencies(readFresh, field), DocumentFrequencies(readUpdated, field));
    }

    private static string[] Values(int source, Random random) =>
        [
            "companies/" + random.Next(300),
            random.Next(1_000_000).ToString(System.Globalization.CultureInfo.InvariantCulture),
            string.Join(' ', Enumerable.Range(0, 25).Select(_ => "w" + (int)(2_000 * Math.Pow(random.NextDouble(), 3)))),
            "2024-05-" + (source % 28),
        ];

    private static void Put(IndexScene scene, int source, string[] values)
    {
        var batch = scene.Batch;
        batch.BeginSource(Encoding.UTF8.GetBytes($"orders/{source:D7}"));
        batch.BeginEntry();
        batch.AddText(batch.Field("Company", new FieldOptions()), Encoding.UTF8.GetBytes(values[0]));
        batch.AddNumber(
            batch.Field("Total", new FieldOptions()),
            new SearchNumber(int.Parse(values[1], System.Globalization.CultureInfo.InvariantCulture))
        );
        var text = new FieldOptions
        {
            Analyzer = AnalyzerKind.Standard,
            KeepsFrequencies = true,
            KeepsPositions = true,
            IsSortable = false,
        };
        batch.AddText(batch.Field("Body", text), Encoding.UTF8.GetBytes(values[2]));
        batch.AddText(batch.Field("Day", new FieldOptions()), Encoding.UTF8.GetBytes(values[3]));
    }

    private static Dictionary<string, uint> DocumentFrequencies(SearchReader reader, string name)
    {
        Assert.True(reader.TryGetField(name, out var field));
        var all = new Dictionary<string, uint>();
        foreach (string tree in (string[])[StructureNames.Texts(field.Id), StructureNames.Numbers(field.Id)])
        {
            using var cursor = reader.Transaction.Catalog.OpenTree(tree).OpenCursor();
            for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                all.Add(Convert.ToHexString(cursor.Key), new TermRecord(cursor.Value).DocumentFrequency);
        }
        return all;
    }
}

using System.Text;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Postings;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>What batches promise, one by one.</summary>
public sealed class EntryBatchTests
{
    private static readonly FieldOptions Plain = new();

    [Fact]
    public void Entries_keep_their_ids_when_their_source_is_updated()
    {
        using var scene = new IndexScene();
        Put(scene, "a", "one", "two", "three");
        Put(scene, "b", "four");
        scene.Commit();
        Put(scene, "a", "ONE", "2");
        scene.Commit();
        Put(scene, "a", "1", "2", "3", "4");
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([("a", "1"), ("a", "2"), ("b", "four"), ("a", "3"), ("a", "4")], Entries(reader));
        Assert.Equal(6, reader.HighestEntry); // 3 went and is not used again
    }

    [Fact]
    public void A_source_that_is_named_twice_in_a_batch_has_the_entries_of_the_last_time()
    {
        using var scene = new IndexScene();
        Put(scene, "a", "old", "old too");
        Put(scene, "b", "b");
        Put(scene, "a", "new");
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([("b", "b"), ("a", "new")], Entries(reader));
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void A_source_that_is_deleted_and_put_again_in_one_batch_is_there()
    {
        using var scene = new IndexScene();
        Put(scene, "a", "x");
        scene.Commit();
        scene.Batch.DeleteSource("a"u8);
        Put(scene, "a", "y");
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([("a", "y")], Entries(reader));
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void An_abandoned_source_leaves_what_it_had()
    {
        using var scene = new IndexScene();
        Put(scene, "a", "x");
        scene.Commit();
        scene.Batch.BeginSource("a"u8);
        scene.Batch.BeginEntry();
        scene.Batch.AddText(scene.Batch.Field("f", Plain), "half"u8);
        scene.Batch.AbandonSource();
        Put(scene, "b", "half");
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([("a", "x"), ("b", "half")], Entries(reader));
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void Updating_a_source_with_what_it_has_writes_nothing_but_the_index_s_counters()
    {
        using var scene = new IndexScene();
        for (int i = 0; i < 2_000; i++)
            Put(scene, "docs/" + i, "value " + i % 100, "other " + i);
        scene.Commit();
        for (int i = 0; i < 2_000; i++)
            Put(scene, "docs/" + i, "value " + i % 100, "other " + i);
        using var writer = scene.Storage.BeginWrite();
        scene.Batch.Apply(writer);
        Assert.InRange(writer.ScratchBytes, 0, 8192);
    }

    [Fact]
    public void A_field_takes_a_hundred_thousand_values_of_one_document_and_loses_them_again()
    {
        using var scene = new IndexScene();
        var field = scene.Batch.Field("many", Plain);
        scene.Batch.BeginSource("big"u8);
        scene.Batch.BeginEntry();
        for (int i = 0; i < 100_000; i++)
        {
            scene.Batch.AddText(field, Encoding.UTF8.GetBytes("v" + i));
            scene.Batch.AddNumber(field, new SearchNumber(i));
        }
        Put(scene, "small", "v7");
        scene.Commit();
        using (var reader = scene.Read())
        {
            Assert.Equal(200_000, Assert.Single(reader.TermsOf(1)).Value.Count);
            Assert.Empty(SearchCheck.Run(reader));
        }
        scene.Batch.DeleteSource("big"u8);
        scene.Commit();
        using var after = scene.Read();
        Assert.Equal([("small", "v7")], Entries(after));
        Assert.Empty(SearchCheck.Run(after));
    }

    [Fact]
    public void Integers_beyond_doubles_are_told_apart_and_negative_zero_is_zero()
    {
        using var scene = new IndexScene();
        var field = scene.Batch.Field("n", Plain);
        scene.Batch.BeginSource("a"u8);
        foreach (
            var number in (SearchNumber[])
                [new(9007199254740992), new(9007199254740992, 1), new(9007199254740994), new(9007199254740996, -1), new(-0.0), new(0)]
        )
        {
            scene.Batch.BeginEntry();
            scene.Batch.AddNumber(field, number);
        }
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal(
            ["9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995", "0", "0"],
            Enumerable.Range(1, 6).Select(id => reader.TermsOf(id)[0].Value[0])
        );
        Assert.Equal(5, reader.Transaction.Catalog.OpenTree(StructureNames.Numbers(field)).EntryCount);
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void Numbers_that_are_none_and_sizes_beyond_the_limits_are_refused_with_what_the_limit_is()
    {
        using var scene = new IndexScene();
        var field = scene.Batch.Field("n", Plain);
        scene.Batch.BeginSource("a"u8);
        scene.Batch.BeginEntry();
        Assert.Throws<ArgumentOutOfRangeException>(() => scene.Batch.AddNumber(field, new SearchNumber(double.NaN)));
        Assert.Throws<ArgumentOutOfRangeException>(() => scene.Batch.AddNumber(field, new SearchNumber(double.PositiveInfinity)));
        Assert.Contains(
            "MaxSourceKeyBytes",
            Assert.Throws<LimitExceededException>(() => scene.Batch.BeginSource(new byte[901])).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "MaxFieldNameBytes",
            Assert.Throws<SearchQueryException>(() => scene.Batch.Field(new string('f', 513), Plain)).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void A_transaction_that_is_dropped_leaves_the_index_and_the_batch_can_be_used_again()
    {
        using var scene = new IndexScene();
        Put(scene, "a", "x");
        scene.Commit();
        Put(scene, "b", "y");
        scene.Batch.Field("new one", Plain);
        using (var writer = scene.Storage.BeginWrite())
            scene.Batch.Apply(writer);
        Put(scene, "c", "z");
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([("a", "x"), ("c", "z")], Entries(reader));
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void An_index_of_another_version_or_id_and_an_environment_with_something_else_are_refused()
    {
        using var scene = new IndexScene();
        Assert.Contains(
            "Build the index again",
            Assert.Throws<SearchFormatException>(() => SearchIndex.Open(scene.Storage, Guid.NewGuid())).Message,
            StringComparison.Ordinal
        );
        Write(scene.Storage, "meta", "version"u8, [2, 0, 0, 0]);
        string message = Assert.Throws<SearchFormatException>(() => SearchIndex.Open(scene.Storage, IndexScene.Id)).Message;
        Assert.Contains("format version 2", message, StringComparison.Ordinal);
        using var other = new TestStorage();
        Write(other.Environment, "things", "k"u8, [1]);
        Assert.Throws<SearchFormatException>(() => SearchIndex.Open(other.Environment, IndexScene.Id));
    }

    [Fact]
    public void Positions_of_two_values_lie_apart_and_stop_words_leave_their_place()
    {
        using var scene = new IndexScene();
        var options = new FieldOptions { Analyzer = AnalyzerKind.Standard, KeepsPositions = true };
        var field = scene.Batch.Field("t", options);
        scene.Batch.BeginSource("a"u8);
        scene.Batch.BeginEntry();
        scene.Batch.AddText(field, "The quick fox and the fox"u8);
        scene.Batch.AddText(field, "fox"u8);
        scene.Commit();
        using var reader = scene.Read();
        Assert.Equal([2, 5, 105], Positions(reader, field, "fox"));
        Assert.Equal([1], Positions(reader, field, "quick"));
        Assert.Equal(4, reader.Fields[0].TotalLength);
        Assert.True(reader.Fields[0].Options.KeepsFrequencies);
    }

    [Fact]
    public void Moving_a_word_changes_positions_though_no_frequency_changes()
    {
        using var scene = new IndexScene();
        var options = new FieldOptions { Analyzer = AnalyzerKind.Standard, KeepsPositions = true };
        var field = scene.Batch.Field("t", options);
        foreach (string text in (string[])["red green blue", "blue green red"])
        {
            scene.Batch.BeginSource("a"u8);
            scene.Batch.BeginEntry();
            scene.Batch.AddText(field, Encoding.UTF8.GetBytes(text));
            scene.Commit();
        }
        using var reader = scene.Read();
        Assert.Equal([2], Positions(reader, field, "red"));
        Assert.Equal([1], Positions(reader, field, "green"));
        Assert.Equal([0], Positions(reader, field, "blue"));
    }

    [Fact]
    public void A_batch_gives_its_memory_back()
    {
        using var scene = new IndexScene();
        for (int i = 0; i < 200_000; i++)
            Put(scene, "docs/" + i, "value " + i);
        Assert.True(scene.Batch.Bytes > 30 << 20);
        scene.Commit();
        Assert.InRange(scene.Batch.Bytes, 0, 1 << 20);
        scene.Batch.Dispose();
        Assert.Equal(0, scene.Batch.Bytes);
    }

    private static List<int> Positions(Reading.SearchReader reader, ushort field, string term)
    {
        var tree = reader.Transaction.Catalog.OpenTree(StructureNames.Texts(field));
        Assert.True(tree.TryGet([1, .. Encoding.UTF8.GetBytes(term)], out var value));
        using var walk = new PostingWalk(tree, value);
        var postings = walk.Next(new PostingBuffer())!;
        byte[] bytes = postings.PositionsOf(0).ToArray();
        int at = 0;
        int position = 0;
        var all = new List<int>();
        while (at < bytes.Length)
            all.Add(position += (int)VarInt.Read(bytes, ref at));
        return all;
    }

    private static void Write(StorageEnvironment storage, string tree, ReadOnlySpan<byte> key, byte[] value)
    {
        using var writer = storage.BeginWrite();
        writer.Catalog.OpenTree(tree).Put(key, value);
        writer.Commit();
    }

    private static void Put(IndexScene scene, string source, params string[] entries)
    {
        scene.Batch.BeginSource(Encoding.UTF8.GetBytes(source));
        foreach (string entry in entries)
        {
            scene.Batch.BeginEntry();
            scene.Batch.AddText(scene.Batch.Field("f", Plain), Encoding.UTF8.GetBytes(entry));
            scene.Batch.SetStored(Encoding.UTF8.GetBytes(entry));
        }
    }

    private static List<(string, string)> Entries(Reading.SearchReader reader)
    {
        var all = new List<(string, string)>();
        for (long id = 1; id <= reader.HighestEntry; id++)
        {
            if (reader.TryGetSource(id, out var source))
                all.Add((Encoding.UTF8.GetString(source), Encoding.UTF8.GetString(reader.Stored(id))));
        }
        return all;
    }
}

using System.Buffers.Binary;
using System.Text;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Transactions;
using Xunit;

namespace Jackdaw.Search.Tests.Checking;

/// <summary>Each rule of the format, broken on purpose.</summary>
public sealed class SearchCheckTests
{
    private const ushort Name = 1;
    private const ushort Body = 2;
    private const ushort Total = 3;

    [Fact]
    public void A_sound_index_has_no_findings()
    {
        using var scene = Filled();
        using var reader = scene.Read();
        Assert.Empty(SearchCheck.Run(reader));
    }

    [Fact]
    public void A_posting_that_is_gone_is_found() =>
        RequireFinding("postings", tx => Remove(tx, StructureNames.Texts(Name), Text("name 3"), 4, PostingOptions.None));

    [Fact]
    public void A_posting_of_an_entry_that_does_not_have_the_term_is_found() =>
        RequireFinding("postings", tx => Add(tx, StructureNames.Texts(Name), Text("name 3"), 10, PostingOptions.None));

    [Fact]
    public void Postings_of_two_entries_that_changed_places_are_found() =>
        RequireFinding(
            "not of the same terms",
            tx =>
            {
                Remove(tx, StructureNames.Texts(Name), Text("name 3"), 4, PostingOptions.None);
                Add(tx, StructureNames.Texts(Name), Text("name 3"), 6, PostingOptions.None);
            }
        );

    [Fact]
    public void A_document_frequency_that_is_wrong_is_found() =>
        RequireFinding(
            "document frequency",
            tx =>
            {
                Assert.True(tx.Catalog.OpenTree(StructureNames.Texts(Body)).TryModify(Text("common"), out var record));
                BinaryPrimitives.WriteUInt32LittleEndian(record, BinaryPrimitives.ReadUInt32LittleEndian(record) + 1);
            }
        );

    [Fact]
    public void A_name_of_a_term_that_is_gone_is_found() =>
        RequireFinding("names", tx => tx.Catalog.OpenTree(StructureNames.TermNames(Body)).Delete([0, 0, 0, 1]));

    [Fact]
    public void Two_names_that_changed_places_are_found() =>
        RequireFinding("names another term", tx => tx.Catalog.OpenTree(StructureNames.TermNames(Body)).Put([0, 0, 0, 1], Text("word3")));

    [Fact]
    public void A_name_without_a_term_is_found() =>
        RequireFinding("names of terms", tx => tx.Catalog.OpenTree(StructureNames.TermNames(Body)).Put([0, 0, 9, 9], Text("nobody")));

    [Fact]
    public void A_cell_of_another_value_is_found() =>
        RequireFinding("its cell", tx => Modify(tx, StructureNames.Column(Total), cell: 5 * 16 + 8));

    [Fact]
    public void A_cell_of_an_entry_that_is_not_there_is_found() =>
        RequireFinding("cells", tx => Modify(tx, StructureNames.Column(Total), cell: 400 * 16));

    [Fact]
    public void A_length_that_is_wrong_is_found() =>
        RequireFinding("its length", tx => Modify(tx, StructureNames.Lengths(Body), cell: 5 * 4));

    [Fact]
    public void A_length_of_an_entry_that_is_not_there_is_found() =>
        RequireFinding("lengths", tx => Modify(tx, StructureNames.Lengths(Body), cell: 1_999 * 4));

    [Fact]
    public void A_bound_of_a_block_that_is_above_a_length_is_found() =>
        RequireFinding(
            "shorter length",
            tx =>
            {
                var texts = tx.Catalog.OpenTree(StructureNames.Texts(Body));
                Assert.True(texts.TryGet(Text("common"), out var record));
                uint set = new TermRecord(record).TermNumber;
                var blocks = tx.Catalog.OpenTree(BlockTree.BlocksName(texts.Name));
                Assert.True(blocks.TryModify([0, 0, 0, (byte)set, .. new byte[8]], out var block));
                BinaryPrimitives.WriteUInt32LittleEndian(block[8..], 1_000);
            }
        );

    [Fact]
    public void A_block_of_no_term_is_found() =>
        RequireFinding(
            "blocks",
            tx => tx.Catalog.OpenTree(BlockTree.BlocksName(StructureNames.Texts(Body))).Put([0, 0, 99, 0, .. new byte[8]], new byte[24])
        );

    [Fact]
    public void An_entry_that_no_source_names_is_found() =>
        RequireFinding("entries have a source", tx => tx.Catalog.OpenTree(StructureNames.Sources).Delete("docs/5"u8));

    [Fact]
    public void A_source_of_an_entry_that_is_gone_is_found() =>
        RequireFinding("which is not there", tx => tx.Catalog.OpenTree(StructureNames.Entries).Delete([0, 0, 0, 0, 0, 0, 0, 5]));

    [Fact]
    public void A_source_of_another_source_s_entry_is_found() =>
        RequireFinding("names another source", tx => tx.Catalog.OpenTree(StructureNames.Sources).Put("docs/5"u8, [1, 5]));

    [Fact]
    public void Counters_of_a_field_that_are_wrong_are_found() => RequireFinding("states", tx => ModifyField(tx, record => record[12]++));

    [Fact]
    public void A_field_that_forgot_its_several_values_is_found() =>
        RequireFinding("not seen with several", tx => ModifyField(tx, record => record[4] = 0, "Body"));

    [Fact]
    public void A_count_of_entries_that_is_wrong_is_found() =>
        RequireFinding(
            "the index states",
            tx =>
            {
                Assert.True(tx.Catalog.OpenTree(StructureNames.Meta).TryModify("entries"u8, out var counts));
                counts[0]--;
            }
        );

    [Fact]
    public void A_structure_of_no_field_is_found() =>
        RequireFinding("belongs to no field", tx => tx.Catalog.OpenTree("text/77", TermRecord.TreeOptions).Put([1], new byte[17]));

    [Fact]
    public void A_record_that_cannot_be_read_is_a_finding_and_the_check_goes_on() =>
        RequireFinding(
            "entry 7 cannot be read",
            tx => tx.Catalog.OpenTree(StructureNames.Entries).Put([0, 0, 0, 0, 0, 0, 0, 7], [1, 200, 1, 2])
        );

    private static void RequireFinding(string expected, Action<WriteTransaction> damage)
    {
        using var scene = Filled();
        using (var writer = scene.Storage.BeginWrite())
        {
            damage(writer);
            writer.Commit();
        }
        using var reader = scene.Read();
        var findings = SearchCheck.Run(reader);
        Assert.Contains(findings, finding => finding.Contains(expected, StringComparison.Ordinal));
    }

    private static IndexScene Filled()
    {
        var scene = new IndexScene();
        var batch = scene.Batch;
        var name = batch.Field("Name", new FieldOptions());
        var body = batch.Field("Body", new FieldOptions { Analyzer = AnalyzerKind.Standard, KeepsPositions = true });
        var total = batch.Field("Total", new FieldOptions());
        Assert.Equal((Name, Body, Total), (name, body, total));
        for (int i = 0; i < 300; i++)
        {
            batch.BeginSource(Encoding.UTF8.GetBytes("docs/" + i));
            batch.BeginEntry();
            batch.AddText(name, Encoding.UTF8.GetBytes("name " + i % 5));
            batch.AddText(body, Encoding.UTF8.GetBytes($"common word{i % 40} word{i % 7}"));
            batch.AddNumber(total, new SearchNumber(i * 1.5));
        }
        scene.Commit();
        return scene;
    }

    private static byte[] Text(string term) => [1, .. Encoding.UTF8.GetBytes(term)];

    private static void Remove(WriteTransaction tx, string tree, byte[] key, long entry, PostingOptions options) =>
        new TermPostings().Apply(tx.Catalog.OpenTree(tree), key, options, 0, [new PostingChange { Entry = entry, Frequency = 0 }], []);

    private static void Add(WriteTransaction tx, string tree, byte[] key, long entry, PostingOptions options) =>
        new TermPostings().Apply(tx.Catalog.OpenTree(tree), key, options, 0, [new PostingChange { Entry = entry, Frequency = 1 }], []);

    private static void Modify(WriteTransaction tx, string tree, int cell)
    {
        Assert.True(tx.Catalog.OpenTree(tree).TryModify([0, 0, 0, 0], out var chunk));
        chunk[cell] ^= 1;
    }

    private static void ModifyField(WriteTransaction tx, Action<byte[]> change, string name = "Name")
    {
        var fields = tx.Catalog.OpenTree(StructureNames.Fields);
        Assert.True(fields.TryGet(Encoding.UTF8.GetBytes(name), out var stored));
        byte[] record = stored.ToArray();
        change(record);
        fields.Put(Encoding.UTF8.GetBytes(name), record);
    }
}

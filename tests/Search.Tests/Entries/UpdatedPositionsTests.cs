using Jackdaw.Search.Dictionary;
using Xunit;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>Updates of fields that keep positions, where a hash tells that nothing has changed.</summary>
public sealed class UpdatedPositionsTests
{
    private static readonly FieldOptions s_words = new()
    {
        Analyzer = AnalyzerKind.Standard,
        IsSortable = false,
        KeepsFrequencies = true,
        KeepsPositions = true,
    };

    [Fact]
    public void A_null_that_goes_from_a_field_whose_words_stay_the_same_leaves_no_posting()
    {
        using var scene = new IndexScene();
        Put(scene, field => scene.Batch.AddNull(field));
        Assert.True(HasMark(scene, TermMark.Null));

        Put(scene, _ => { });

        Assert.False(HasMark(scene, TermMark.Null));
    }

    [Fact]
    public void A_null_that_comes_to_a_field_whose_words_stay_the_same_is_found()
    {
        using var scene = new IndexScene();
        Put(scene, _ => { });

        Put(scene, field => scene.Batch.AddNull(field));

        Assert.True(HasMark(scene, TermMark.Null));
    }

    [Fact]
    public void A_number_that_changes_in_a_field_whose_words_stay_the_same_is_found_by_its_new_value_alone()
    {
        using var scene = new IndexScene();
        Put(scene, field => scene.Batch.AddNumber(field, new SearchNumber(1)));

        Put(scene, field => scene.Batch.AddNumber(field, new SearchNumber(2)));

        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        Assert.False(Has(scene, StructureNames.Numbers(1), key[..NumberKey.Write(new SearchNumber(1), key)]));
        Assert.True(Has(scene, StructureNames.Numbers(1), key[..NumberKey.Write(new SearchNumber(2), key)]));
    }

    private static void Put(IndexScene scene, Action<ushort> addMore)
    {
        ushort field = scene.Batch.Field("Body", s_words);
        scene.Batch.BeginSource("docs/1"u8);
        scene.Batch.BeginEntry();
        scene.Batch.AddText(field, "an apple"u8);
        addMore(field);
        scene.Commit();
    }

    private static bool HasMark(IndexScene scene, TermMark mark) => Has(scene, StructureNames.Texts(1), TextKey.Of(mark));

    private static bool Has(IndexScene scene, string tree, ReadOnlySpan<byte> key)
    {
        using var reader = scene.Read();
        return reader.Transaction.Catalog.TryOpenTree(tree, out var terms) && terms.TryGet(key, out _);
    }
}

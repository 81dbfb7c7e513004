using System.Text;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

public sealed class TermListingTests : IDisposable
{
    private readonly IndexScene _scene = new();

    public void Dispose() => _scene.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(100)]
    public void Terms_are_listed_page_by_page_texts_first_and_then_numbers(int atMost)
    {
        string cut = new('z', 495);
        Add("pear", "apple", "7", "", "Ω", "…", cut + "ΩΩΩΩΩΩΩΩΩΩ", cut.Replace('z', 'y') + new string('q', 30));
        var batch = _scene.Batch;
        ushort numbers = batch.Field("Value", new FieldOptions());
        foreach (var number in (SearchNumber[])[new(7), new(-1.5), new(9007199254740992, 1), new(1e300)])
            batch.AddNumber(numbers, number);
        batch.AddNull(numbers);
        _scene.Commit();
        using var reader = _scene.Read();
        var found = new List<string>();
        for (string? after = null; ; after = found[^1])
        {
            var page = reader.Terms("Value", after, atMost);
            if (page.Count == 0)
                break;
            found.AddRange(page);
            Assert.True(found.Count < 20);
        }
        string[] expected =
        [
            "",
            "7",
            "apple",
            "pear",
            "ω",
            "…",
            cut.Replace('z', 'y') + "q…",
            cut + "…",
            "-1.5",
            "9007199254740993",
            "1E+300",
        ];
        // The number 7 reads as the text 7, which is listed.
        Assert.Equal(expected, found);
    }

    [Fact]
    public void A_list_is_resumed_behind_a_term_that_has_gone()
    {
        Add("a", "c");
        _scene.Commit();
        using var reader = _scene.Read();
        Assert.Equal(["c"], reader.Terms("Value", "b", 5));
        Assert.Empty(reader.Terms("Value", "d", 5));
        Assert.Empty(reader.Terms("Nowhere", null, 5));
        Assert.Empty(reader.Terms("Value", null, 0));
    }

    private void Add(params string[] values)
    {
        _scene.Batch.BeginSource("it"u8);
        _scene.Batch.BeginEntry();
        foreach (string value in values)
            _scene.Batch.AddText(_scene.Batch.Field("Value", new FieldOptions()), Encoding.UTF8.GetBytes(value));
    }
}

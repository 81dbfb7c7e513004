using Jackdaw.Indexing.Definitions;
using Xunit;

namespace Jackdaw.Indexing.Tests.Definitions;

public class FieldPathTests
{
    [Theory]
    [InlineData("name", "name")]
    [InlineData("full name", "full name")]
    [InlineData("a.b", "'a.b'")]
    [InlineData("it's", "'it''s'")]
    [InlineData("id()", "'id()'")]
    [InlineData("search(a)", "'search(a)'")]
    [InlineData("a[0]", "'a[0]'")]
    [InlineData("", "''")]
    [InlineData("@last-modified", "@last-modified")]
    public void A_property_is_quoted_only_where_its_name_could_be_read_as_something_else(string name, string text) =>
        Assert.Equal(text, FieldPath.Format([FieldPathStep.Property(name)]));

    [Fact]
    public void Steps_come_back_as_they_were_written()
    {
        FieldPathStep[] steps =
        [
            FieldPathStep.Property("lines.of"),
            FieldPathStep.EachElement,
            FieldPathStep.ElementAt(12),
            FieldPathStep.Property("it's"),
            FieldPathStep.Property("product name"),
        ];

        var text = FieldPath.Format(steps);

        Assert.Equal("'lines.of'[][12].'it''s'.product name", text);
        Assert.Equal(steps, FieldPath.Parse(text));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".a")]
    [InlineData("a.")]
    [InlineData("a[")]
    [InlineData("a[x]")]
    [InlineData("'a")]
    [InlineData("a'b'")]
    [InlineData("search(a)")]
    public void What_is_no_path_is_refused(string text) => Assert.Throws<FormatException>(() => FieldPath.Parse(text));
}

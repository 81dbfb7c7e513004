using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Queries;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public class FieldPathTextTests
{
    [Theory]
    [InlineData("name", "name")]
    [InlineData("full name", "'full name'")]
    [InlineData("a.b", "'a.b'")]
    [InlineData("it's", @"'it\'s'")]
    [InlineData(@"back\slash", @"'back\\slash'")]
    [InlineData("id()", "'id()'")]
    [InlineData("search(a)", "'search(a)'")]
    [InlineData("a[0]", "'a[0]'")]
    [InlineData("", "''")]
    [InlineData("@last-modified", "@last-modified")]
    public void A_property_is_quoted_only_where_its_name_could_be_read_as_something_else(string name, string text)
    {
        var step = new FieldPathStep(name, IsEach: false);

        Assert.Equal(text, FieldPathText.Of([step]));
        Assert.Equal([step], FieldPath.Parse(text));
    }

    [Fact]
    public void Definitions_read_a_path_as_queries_write_it()
    {
        FieldPathStep[] steps = [new("lines.of", IsEach: true), new("it's", IsEach: false), new("product name", IsEach: true)];

        var text = FieldPathText.Of(steps);

        Assert.Equal(@"'lines.of'[].'it\'s'.'product name'[]", text);
        Assert.Equal(steps, FieldPath.Parse(text));
    }
}

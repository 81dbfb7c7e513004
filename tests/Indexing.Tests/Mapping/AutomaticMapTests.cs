using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping.Automatic;
using Jackdaw.Indexing.Tests.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>What each kind of value becomes, by its path.</summary>
public class AutomaticMapTests
{
    [Theory]
    // Texts, and what they are in JSON.
    [InlineData("name", """{"name":"Ada"}""", "name=\"Ada\"")]
    [InlineData("name", """{"name":""}""", "name=\"\"")]
    [InlineData("name", """{"name":"a\"\u00e9\n"}""", "name=\"a\"é\n\"")]
    // Half of a surrogate pair, which JavaScript writes and UTF-8 cannot.
    [InlineData("name", """{"name":"a\ud800"}""", "name=\"a\ufffd\"")]
    [InlineData("name", """{"name":"\udc00\ud83d\ude00\ud800\u0041"}""", "name=\"\ufffd😀\ufffdA\"")]
    [InlineData("name", """{"\ud800":1,"name":"x"}""", "name=\"x\"")]
    [InlineData("na\u00efve", """{"na\u00efve":"x"}""", "naïve=\"x\"")]
    [InlineData("born", """{"born":"2024-01-02T03:04:05.0000000Z"}""", "born=\"2024-01-02T03:04:05.0000000Z\"")]
    [InlineData("born", """{"born":"2024-01-02"}""", "born=\"2024-01-02T00:00:00.0000000Z\"")]
    [InlineData(
        "born",
        """{"born":["2024-01-02 03:04","2024\u002d01-02T03:04:05.1+01:00","2024-01"]}""",
        "born=\"2024-01-02T03:04:00.0000000Z\"|born=\"2024-01-02T02:04:05.1000000Z\"|born=\"2024-01\""
    )]
    // Missing, null and empty.
    [InlineData("name", """{"other":1}""", "")]
    [InlineData("name", """{"Name":1}""", "")]
    [InlineData("name", """{"name":null}""", "name=null")]
    [InlineData("tags", """{"tags":[]}""", "tags=[]")]
    [InlineData("tags", """{"tags":[[],[]]}""", "tags=[]")]
    [InlineData("tags", """{"tags":[[],["a"]]}""", "tags=\"a\"")]
    // Booleans are texts.
    [InlineData("is", """{"is":true}""", "is=\"true\"")]
    [InlineData("is", """{"is":false}""", "is=\"false\"")]
    // Numbers.
    [InlineData("n", """{"n":1}""", "n=1")]
    [InlineData("n", """{"n":-1.50}""", "n=-1.5")]
    [InlineData("n", """{"n":1e3}""", "n=1000")]
    [InlineData("n", """{"n":9007199254740993}""", "n=9007199254740992+1")]
    [InlineData("n", """{"n":-9007199254740993}""", "n=-9007199254740992-1")]
    [InlineData("n", """{"n":9223372036854775807}""", "n=9.223372036854776E+18-1")]
    [InlineData("n", """{"n":18446744073709551616}""", "n=1.8446744073709552E+19")]
    [InlineData("n", """{"n":1e999}""", "n=1.7976931348623157E+308|n=\"1e999\"")]
    [InlineData("n", """{"n":-1e999}""", "n=-1.7976931348623157E+308|n=\"-1e999\"")]
    [InlineData("n", """{"n":123456789012345678901234567890123456789012345678901234567890}""", "n=1.2345678901234567E+59")]
    // Arrays give their elements.
    [InlineData("tags", """{"tags":["a",1,null,true,[2,"b"]]}""", "tags=\"a\"|tags=1|tags=null|tags=\"true\"|tags=2|tags=\"b\"")]
    [InlineData("tags[]", """{"tags":["a"]}""", "tags[]=\"a\"")]
    // Objects are their text.
    [InlineData("at", """{"at":{"x":1,"y":[2]}}""", "at=\"{\"x\":1,\"y\":[2]}\"")]
    [InlineData("at", """{"at":[{"x":1},{}]}""", "at=\"{\"x\":1}\"|at=\"{}\"")]
    // Nested paths.
    [InlineData("a.b.c", """{"a":{"b":{"c":"x"},"c":1},"c":2}""", "a.b.c=\"x\"")]
    [InlineData("a.b", """{"a":null}""", "a.b=null")]
    [InlineData("a.b", """{"a":1}""", "")]
    [InlineData("a.b", """{"a":[{"b":1}]}""", "")]
    [InlineData(
        "lines[].product",
        """{"lines":[{"product":"x"},{"other":1},{"product":null},{"product":["y","z"]}]}""",
        "lines[].product=\"x\"|lines[].product=null|lines[].product=\"y\"|lines[].product=\"z\""
    )]
    [InlineData("lines[].product", """{"lines":[]}""", "lines[].product=[]")]
    [InlineData("lines[].product", """{"lines":null}""", "lines[].product=null")]
    [InlineData("lines[].product", """{"lines":[null]}""", "lines[].product=null")]
    [InlineData("lines[].product", """{"lines":[1,"x"]}""", "")]
    [InlineData("lines[].product", """{"lines":{"product":1}}""", "")]
    [InlineData("lines[].at[].x", """{"lines":[{"at":[{"x":1},{"x":2}]},{"at":[]}]}""", "lines[].at[].x=1|lines[].at[].x=2")]
    // The number of elements, where an array stands in front of such a name.
    [InlineData("lines.Count", """{"lines":[1,null,{"Count":7},[8,9]]}""", "lines.Count=4")]
    [InlineData("lines.Length", """{"lines":[]}""", "lines.Length=0")]
    [InlineData("a.b.length", """{"a":{"b":["x"]}}""", "a.b.length=1")]
    [InlineData("lines.count", """{"lines":{"count":"many"}}""", "lines.count=\"many\"")]
    [InlineData("lines.Count", """{"lines":null}""", "lines.Count=null")]
    [InlineData("lines.Count", """{"lines":"x"}""", "")]
    [InlineData("lines[].Count", """{"lines":[[1,2],{"Count":7},[]]}""", "lines[].Count=2|lines[].Count=7|lines[].Count=0")]
    [InlineData("lines[].at.Count", """{"lines":[{"at":[1,2]},{"at":[]}]}""", "lines[].at.Count=2|lines[].at.Count=0")]
    [InlineData("lines.Count[]", """{"lines":[1,2]}""", "")]
    [InlineData("Count", """{"Count":[1,2]}""", "Count=1|Count=2")]
    // Odd names.
    [InlineData("'a.b'", """{"a.b":1,"a":{"b":2}}""", "'a.b'=1")]
    [InlineData("'first name'.x", """{"first name":{"x":1}}""", "'first name'.x=1")]
    [InlineData("""'it\'s'""", """{"it's":1}""", """'it\'s'=1""")]
    [InlineData("first name", """{"first name":1}""", "first name=1")]
    public void Values_are_found_by_path(string path, string body, string expected) =>
        Assert.Equal(expected.Split('|', StringSplitOptions.RemoveEmptyEntries), Map([new AutoIndexField(path)], body));

    [Fact]
    public void A_path_and_one_inside_it_are_both_found() =>
        Assert.Equal(
            new[] { "a.b=1", "a=\"{\"b\":1,\"c\":2}\"", "a.c=2" }.Order(),
            Map([new("a"), new("a.b"), new("a.c")], """{"a":{"b":1,"c":2}}""").Order()
        );

    [Fact]
    public void An_array_and_paths_inside_its_elements_are_both_found() =>
        Assert.Equal(new[] { "l[].x=1", "l=\"{\"x\":1}\"", "l=2" }.Order(), Map([new("l"), new("l[].x")], """{"l":[{"x":1},2]}""").Order());

    [Fact]
    public void Searched_and_exact_fields_have_the_values_too() =>
        Assert.Equal(
            [
                "n=5",
                "search(n)=\"5\"",
                "exact(n)=5",
                "n=\"Ab\"",
                "search(n)=\"Ab\"",
                "exact(n)=\"Ab\"",
                "n=null",
                "search(n)=null",
                "exact(n)=null",
            ],
            Map([new("n", HasSearch: true, HasExact: true)], """{"n":[5,"Ab",null]}""")
        );

    [Fact]
    public void A_date_is_its_moment_but_for_words_and_exact_values() =>
        Assert.Equal(
            ["n=\"2024-01-02T00:00:00.0000000Z\"", "search(n)=\"2024-01-02\"", "exact(n)=\"2024-01-02\""],
            Map([new("n", HasSearch: true, HasExact: true)], """{"n":"2024-01-02"}""")
        );

    [Fact]
    public void Metadata_is_found_the_servers_own_included()
    {
        string[] names = ["@collection", "@last-modified", "@change-vector", "@id", "mine", "@flags"];
        Assert.Equal(
            [
                "@metadata.@change-vector=\"A:7-db\"",
                "@metadata.@collection=\"Users\"",
                "@metadata.@id=\"Users/1\"",
                "@metadata.@last-modified=\"2030-01-02T03:04:05.0000000Z\"",
                "@metadata.mine=1",
            ],
            Map([.. names.Select(name => new AutoIndexField($"@metadata.{name}"))], "{}", "\"mine\":1").Order(StringComparer.Ordinal)
        );
        Assert.Equal(
            ["@metadata.@collection=\"Users\"", "x=1"],
            Map([new("@metadata.@collection"), new("x")], """{"x":1}""").Order(StringComparer.Ordinal)
        );
    }

    [Fact]
    public void Every_entry_has_the_id() => Assert.StartsWith("id()=\"Users/1\"\n", Text([new("x")], "{}", ""));

    /// <summary>Values in the order in which they were added, without the id.</summary>
    private static string[] Map(AutoIndexField[] fields, string body, string metadata = "")
    {
        string text = Text(fields, body, metadata);
        Assert.StartsWith("id()=\"Users/1\"\n", text);
        text = text["id()=\"Users/1\"\n".Length..];
        if (text.Length == 0)
            return [];
        // A value may have a line feed of its own.
        Assert.EndsWith("\n", text);
        return text[..^1].Contains("é\n\"", StringComparison.Ordinal) ? [text[..^1]] : text[..^1].Split('\n');
    }

    private static string Text(AutoIndexField[] fields, string body, string metadata)
    {
        using var map = new AutomaticMap(new AutoIndexDefinition("Users", fields));
        var batch = new RecordedContent.Batch();
        map.Begin(batch);
        batch.BeginSource("users/1"u8);
        map.Map(
            new Document
            {
                Id = "Users/1"u8,
                LowerId = "users/1"u8,
                Etag = 7,
                ChangeVector = "A:7-db"u8,
                LastModifiedTicks = new DateTime(2030, 1, 2, 3, 4, 5, DateTimeKind.Utc).Ticks,
                Collection = "Users"u8,
                HasCollection = true,
                Body = Encoding.UTF8.GetBytes(body),
                Metadata = Encoding.UTF8.GetBytes(metadata),
            },
            batch
        );
        return batch.Text;
    }
}

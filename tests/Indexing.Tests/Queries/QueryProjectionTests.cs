using System.Buffers;
using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public class QueryProjectionTests
{
    private static readonly StoredDocuments _documents = new StoredDocuments().Put(
        "users/1",
        "Users",
        """{"name":"J\u00fcrgen","total":12.7500,"big":9007199254740993,"address":{"city":"Rom"},"lines":[{"p":1},{"q":2},{"p":[3]}],"order":null}""",
        """
        "@nested-object-types":{"at":"date"},"Raven-Node-Type":"User","tags":["a","b"]
        """
    );

    [Theory]
    [InlineData("name, total as t, big", """{"name":"J\u00fcrgen","t":12.7500,"big":9007199254740993""")]
    [InlineData(
        "u.address.city, u.address as a, missing, 'order'",
        """{"address.city":"Rom","a":{"city":"Rom"},"missing":null,"order":null"""
    )]
    [InlineData(
        "lines[].p as ps, lines[0].p as first, lines[9] as none, missing[] as m",
        """{"ps":[1,[3]],"first":1,"none":null,"m":null"""
    )]
    [InlineData("id(), id(u) as key, none", """{"id()":"users/1","key":"users/1","none":null""")]
    [InlineData(
        "@metadata.@nested-object-types as types, @metadata.'Raven-Node-Type' as n, @metadata.@collection "
            + "as c, @metadata.@id as i, @metadata.@last-modified as l, @metadata.none as x",
        """{"types":{"at":"date"},"n":"User","c":"Users","i":"users/1","l":"2030-01-02T03:04:05.0000000Z","x":null"""
    )]
    [InlineData(
        "@metadata.tags.Count as t, @metadata.none.length as n, lines.length as l, lines.Count",
        """{"t":2,"n":null,"l":3,"lines.Count":3"""
    )]
    public void Selected_fields_are_written_with_the_text_they_are_stored_with(string fields, string expected)
    {
        var plan = QueryPlanner.Plan($"from Users as u select {fields}", RqlParameters.None);
        var cursor = QueryCursor.Open(plan, _documents);
        Assert.True(cursor.MoveNext());

        var output = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(output))
            plan.Projection!.Write(cursor.Current, writer, output);

        var metadata =
            ""","@metadata":{"@projection":true,"@change-vector":"A:1-db","@id":"users/1","@last-modified":"2030-01-02T03:04:05.0000000Z"}}""";
        Assert.Equal(expected + metadata, Encoding.UTF8.GetString(output.WrittenSpan));
    }
}

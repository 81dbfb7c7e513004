using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>The tables of docs/queries.md, cell by cell, end to end: which documents a condition finds, and where an order puts
/// them.</summary>
public sealed class QueryTablesWireTests(QueryTablesWireTests.Documents documents) : IClassFixture<QueryTablesWireTests.Documents>
{
    /// <summary>The kinds of values: of a document <c>x/null</c> the field v is null, of <c>x/missing</c> it is not there.</summary>
    private static readonly (string Id, string Json)[] s_values =
    [
        ("x/missing", "{}"),
        ("x/null", """{"v":null}"""),
        ("x/none", """{"v":[]}"""),
        ("x/empty", """{"v":""}"""),
        ("x/text", """{"v":"Bob"}"""),
        ("x/five", """{"v":5}"""),
        ("x/five-text", """{"v":"5"}"""),
        ("x/five-dot", """{"v":5.0}"""),
        ("x/ten", """{"v":10}"""),
        ("x/true", """{"v":true}"""),
        ("x/many", """{"v":["bob",7,null]}"""),
        ("x/object", """{"v":{"w":"in"}}"""),
        ("x/date", """{"v":"2020-02-03T04:05:06.0000000Z"}"""),
        ("x/big", """{"v":9007199254740993}"""),
        ("x/huge", """{"v":1e400}"""),
    ];

    [Theory]
    // = and !=
    [InlineData("v = null", "null many")]
    [InlineData("v = ''", "empty")]
    [InlineData("v = 'bob'", "text many")]
    [InlineData("v = 'BOB'", "text many")]
    [InlineData("v = 5", "five five-text five-dot")]
    [InlineData("v = 5.0", "five five-text five-dot")]
    [InlineData("v = '5'", "five five-text five-dot")]
    [InlineData("v = '5.0'", "five five-dot")]
    [InlineData("v = '05'", "")]
    [InlineData("v = true", "true")]
    [InlineData("v = 'TRUE'", "true")]
    [InlineData("v = 7", "many")]
    [InlineData("v = 9007199254740993", "big")]
    [InlineData("v = 9007199254740992", "")]
    [InlineData("v = 1e400", "huge")]
    [InlineData("v = 1e401", "")]
    [InlineData("v = '2020-02-03T04:05:06.0000000z'", "date")]
    [InlineData("v = '{\"w\":\"in\"}'", "object")]
    [InlineData("v.w = 'in'", "object")]
    [InlineData("v != null", "missing none empty text five five-text five-dot ten true object date big huge")]
    [InlineData("v != ''", "missing null none text five five-text five-dot ten true many object date big huge")]
    [InlineData("v != 5", "missing null none empty text ten true many object date big huge")]
    // in and all in
    [InlineData("v in (null)", "null many")]
    [InlineData("v in ('')", "empty")]
    [InlineData("v in ()", "")]
    [InlineData("v in (5, 'bob')", "text five five-text five-dot many")]
    [InlineData("v in ('BOB', null, '')", "null empty text many")]
    [InlineData("v all in ('bob', 7)", "many")]
    [InlineData("v all in ('bob', null)", "many")]
    [InlineData("v all in ()", "missing null none empty text five five-text five-dot ten true many object date big huge")]
    // exists
    [InlineData("exists(v)", "null none empty text five five-text five-dot ten true many object date big huge")]
    [InlineData("not exists(v)", "missing")]
    [InlineData("exists(v) and not v = null", "none empty text five five-text five-dot ten true object date big huge")]
    [InlineData("exists(v.w)", "null object")]
    // Ranges: numbers with numbers, texts with texts.
    [InlineData("v > 5", "ten many big huge")]
    [InlineData("v >= 5", "five five-dot ten many big huge")]
    [InlineData("v < 10", "five five-dot many")]
    [InlineData("v between 5 and 10", "five five-dot ten many")]
    [InlineData("v > 9007199254740992", "big huge")]
    [InlineData("v > 'b'", "text true many object")]
    [InlineData("v < 'b'", "empty five-text date huge")]
    [InlineData("v between 'BOB' and 'bob'", "text many")]
    [InlineData("v >= '2020' and v < '2021'", "date")]
    [InlineData("v > null", "empty text five five-text five-dot ten true many object date big huge")]
    [InlineData("v < null", "empty text five five-text five-dot ten true many object date big huge")]
    [InlineData("v between '*' and 'NULL'", "empty text five five-text five-dot ten true many object date big huge")]
    // Dates are points in time.
    [InlineData("v = '2020-02-03T04:05:06'", "date")]
    [InlineData("v = '2020-02-03T05:05:06.000+01:00'", "date")]
    [InlineData("v in ('2020-02-02 23:05:06.0000000-0500')", "date")]
    [InlineData("v = '2020-02-03T04:05:06.0000001'", "")]
    [InlineData("v between '2020-02-03T04:05:06Z' and '2020-02-03T04:05:06.0Z'", "date")]
    [InlineData("v > '2020-02-03T04:05:06' and v < '2021'", "")]
    [InlineData("v > '2020-02-03' and v < '2020-02-04'", "date")]
    [InlineData("v = '2020-02-03'", "")]
    [InlineData("v <= '2020-02-03' and v > '2020'", "")]
    [InlineData("startsWith(v, '2020-02-03T04')", "date")]
    [InlineData("exact(v = '2020-02-03T04:05:06Z')", "")]
    [InlineData("exact(v = '2020-02-03T04:05:06.0000000Z')", "date")]
    // Patterns look at texts.
    [InlineData("startsWith(v, 'BO')", "text many")]
    [InlineData("startsWith(v, '5')", "five-text")]
    [InlineData("endsWith(v, 'OB')", "text many")]
    [InlineData("regex(v, '^[a-c]')", "text many")]
    [InlineData("regex(v, '^[A-C]')", "text many")]
    [InlineData("search(v, 'BOB nobody')", "text many")]
    [InlineData("search(v, 'bob nobody', and)", "")]
    [InlineData("search(v, 'bo*')", "text many")]
    [InlineData("search(v, '10')", "ten")]
    // exact
    [InlineData("exact(v = 'Bob')", "text")]
    [InlineData("exact(v = 'bob')", "many")]
    [InlineData("exact(v = 5)", "five five-text five-dot")]
    [InlineData("exact(v in ('BOB', null))", "null many")]
    [InlineData("exact(startsWith(v, 'B'))", "text")]
    [InlineData("exact(regex(v, '^[A-C]'))", "text")]
    // Logic and ids
    [InlineData("v = 5 or v = null and v = 7", "five five-text five-dot many")]
    [InlineData("(v = 5 or v = null) and v = 7", "many")]
    [InlineData("not (v = 5 or exists(v))", "missing")]
    [InlineData("v = 5 and id() != 'X/FIVE'", "five-text five-dot")]
    [InlineData("startsWith(id(), 'x/f') and v = 5", "five five-text five-dot")]
    [InlineData("@metadata.@collection = 'xs' and v = true", "true")]
    [InlineData("@metadata.@id in ('X/TEN', 'x/null')", "null ten")]
    [InlineData("boost(v = 10, 3)", "ten")]
    // How many elements an array has
    [InlineData("v.Count > 2", "many")]
    [InlineData("v.Length = 3", "many")]
    [InlineData("v.count < 3", "none")]
    [InlineData("v.length >= 0", "none many")]
    [InlineData("exists(v.Count)", "null none many")]
    public async Task A_condition_finds_exactly(string where, string ids)
    {
        var answer = await documents.QueryAsync($"from Xs where {where}");

        Assert.Equal(Sorted(ids.Split(' ', StringSplitOptions.RemoveEmptyEntries)), Sorted(answer.Ids.Select(id => id!["x/".Length..])));
        Assert.Equal(answer.Ids.Count(), answer.Json.GetProperty("TotalResults").GetInt32());
        Assert.False(answer.Json.GetProperty("IsStale").GetBoolean());
    }

    /// <summary>A filter looks at documents one by one, and means the same.</summary>
    [Theory]
    [InlineData("v = null")]
    [InlineData("v = '5'")]
    [InlineData("v != ''")]
    [InlineData("v in (5, 'bob', null)")]
    [InlineData("v all in ('bob', 7)")]
    [InlineData("exists(v.w) and not v = 7")]
    [InlineData("v > 'b' or v >= 10")]
    [InlineData("v > 9007199254740992")]
    [InlineData("v > null")]
    [InlineData("startsWith(v, 'bo') or endsWith(v, '5')")]
    [InlineData("regex(v, '^[A-C]')")]
    [InlineData("exact(v = 'bob' or v = 1e400)")]
    [InlineData("v = '2020-02-03T05:05:06.000+01:00'")]
    [InlineData("v > '2020-02-03' and v <= '2020-02-03 04:05:06'")]
    [InlineData("v.Count > 2 or v.length = 0")]
    public async Task A_filter_finds_what_a_condition_finds(string condition)
    {
        var asked = await documents.QueryAsync($"from Xs where {condition}");
        var filtered = await documents.QueryAsync($"from Xs filter {condition}");

        Assert.Equal(Sorted(asked.Ids), Sorted(filtered.Ids));
        Assert.NotEmpty(asked.Ids);
    }

    [Theory]
    // Missing, null, an empty array, then values: an empty text first. Of several values the smallest counts, and null is one.
    // Equals stand in the order in which they were stored, in both directions.
    [InlineData("v", "missing null many none empty", "empty none null many missing")]
    [InlineData("v as long", "", "")]
    [InlineData("v as alphaNumeric", "missing null many none empty", "empty none null many missing")]
    public async Task An_order_begins_with_what_has_no_value(string order, string first, string last)
    {
        var ids = (await documents.QueryAsync($"from Xs order by {order}")).Ids.Select(id => id!["x/".Length..]).ToArray();
        var backwards = (await documents.QueryAsync($"from Xs order by {order} desc")).Ids.Select(id => id!["x/".Length..]).ToArray();

        Assert.Equal(s_values.Length, ids.Length);
        if (order == "v as long")
        {
            // Texts count as missing.
            Assert.Equal(Sorted(s_missingAsNumber), Sorted(ids[..s_missingAsNumber.Length]));
            Assert.Equal(["five", "five-dot", "ten", "big", "huge"], ids[^5..]);
            return;
        }
        Assert.Equal(first.Split(' '), ids[..first.Split(' ').Length]);
        Assert.Equal(last.Split(' '), backwards[^last.Split(' ').Length..]);
    }

    private static readonly string[] s_missingAsNumber = ["missing", "empty", "text", "five-text", "true", "object", "date"];

    private static string[] Sorted(IEnumerable<string?> ids) => [.. ids.Select(id => id!).Order(StringComparer.Ordinal)];

    /// <summary>A server with the documents of the tables.</summary>
    public sealed class Documents : IAsyncLifetime
    {
        private readonly WireServer _server = new();
        private WireDatabase _database = null!;

        public async Task InitializeAsync()
        {
            await _server.InitializeAsync();
            _database = await _server.NewDatabaseAsync();
            foreach (var (id, json) in s_values)
                await _database.PutAsync(id, json[..^1] + (json.Length > 2 ? "," : "") + "\"@metadata\":{\"@collection\":\"Xs\"}}");
        }

        public Task DisposeAsync() => _server.DisposeAsync();

        internal async Task<WireAnswer> QueryAsync(string query)
        {
            var answer = await _database.SendAsync(
                "POST",
                "/queries",
                $$"""{"Query":{{JsonSerializer.Serialize(query)}},"WaitForNonStaleResults":true}"""
            );
            Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
            return answer;
        }
    }
}

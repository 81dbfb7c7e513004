using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>What a query makes of the documents that it finds, as it goes over the wire: fields, scripts, filters, distinct rows.</summary>
public sealed class QueryProjectionWireTests(WireServer server) : IClassFixture<WireServer>, IAsyncLifetime
{
    private WireDatabase _database = null!;

    public async Task InitializeAsync()
    {
        _database = await server.NewDatabaseAsync();
        await PutAsync("companies/1", """{"name":"Ada & Co","parent":"companies/2"}""", "Companies");
        await PutAsync("companies/2", """{"name":"Holding"}""", "Companies");
        await PutAsync("orders/1", """{"total":10,"company":"companies/1","lines":[{"p":"a","n":2},{"p":"b","n":3}]}""", "Orders");
        await PutAsync("orders/2", """{"total":20,"company":"companies/2","lines":[{"p":"a","n":5}]}""", "Orders");
        await PutAsync("orders/3", """{"total":30,"company":"companies/9","lines":[]}""", "Orders");
        await PutAsync("orders/4", """{"total":10,"company":"companies/1","big":9007199254740993}""", "Orders");
    }

    public Task DisposeAsync() => Task.CompletedTask;

    [Theory]
    [InlineData(
        "from Orders as o where id() = 'orders/1' select { sum: o.lines.reduce((s, l) => s + l.n, 0), id: id(o) }",
        """{"sum":5,"id":"orders/1"}"""
    )]
    [InlineData("from Orders as o where id() = 'orders/4' select { big: o.big }", """{"big":9007199254740993}""")]
    [InlineData(
        "from Orders as o where id() = 'orders/4' select\n{ ...o }",
        """{"total":10,"company":"companies/1","big":9007199254740993}"""
    )]
    [InlineData("from Orders where id() = 'orders/1' select { t: this.total }", """{"t":10}""")]
    [InlineData(
        "declare function twice(x, by) { return { n: x.total * by }; } from Orders as o where id() = 'orders/2' select twice(o, $by)",
        """{"n":60}"""
    )]
    [InlineData(
        "declare function f(n) { return n + 1; } from Orders as o where id() = 'orders/2' select o.total, f(o.total) as more, id() as key",
        """{"total":20,"more":21,"key":"orders/2"}"""
    )]
    [InlineData(
        "from Orders as o where id() = 'orders/1' load o.company as c, c.parent as p select { c: c.name, p: p.name }",
        """{"c":"Ada & Co","p":"Holding"}"""
    )]
    [InlineData(
        "from Orders as o where id() = 'orders/3' load o.company as c select o.total, c.name as company",
        """{"total":30,"company":null}"""
    )]
    [InlineData("from Orders as o where id() = 'orders/1' select { c: load(o.company).name }", """{"c":"Ada & Co"}""")]
    [InlineData(
        "from Orders as o where id() = 'orders/1' load o.company as c select o.lines[].p as ps, c.name",
        """{"ps":["a","b"],"name":"Ada & Co"}"""
    )]
    [InlineData("from Orders as o where id() = 'orders/1' select o.lines.Count as n, lines.length", """{"n":2,"lines.length":2}""")]
    [InlineData("from Orders where id() = 'orders/3' select lines.Count", """{"lines.Count":0}""")]
    [InlineData("from Orders where id() = 'orders/4' select lines.Count, big.Length", """{"lines.Count":null,"big.Length":null}""")]
    [InlineData(
        "from Orders as o where id() = 'orders/1' load o.company as c select o.lines.Count as n, c.name",
        """{"n":2,"name":"Ada & Co"}"""
    )]
    [InlineData(
        "from Orders as o where id() = 'orders/3' load o.company as c "
            + "select { c: c.name.toUpperCase(), p: load(c.parent).name, none: o.none, deep: { a: o.none.b[0].c, b: [o.none] }, t: o.total }",
        """{"c":null,"p":null,"none":null,"deep":{"a":null,"b":[null]},"t":30}"""
    )]
    [InlineData(
        "from Orders as o where id() = 'orders/3' select { a: Object.freeze({ b: o.none, c: 1 }), get d() { return o.none; } }",
        """{"a":{"c":1},"d":null}"""
    )]
    public async Task A_projection_in_JavaScript_makes_an_object_of_each_document(string query, string expected)
    {
        var answer = await QueryAsync(query, """{"by":3}""");

        var result = Assert.Single(answer.Json.GetProperty("Results").EnumerateArray());
        Assert.True(result.GetProperty("@metadata").GetProperty("@projection").GetBoolean());
        Assert.StartsWith("orders/", result.GetProperty("@metadata").GetProperty("@id").GetString(), StringComparison.Ordinal);
        Assert.Equal(expected, WithoutMetadata(result));
    }

    /// <summary>Where something is loaded, a script makes the rows.</summary>
    [Theory]
    [InlineData("v[0]")]
    [InlineData("v[1].w")]
    [InlineData("v[].w")]
    [InlineData("v[]")]
    [InlineData("v.w")]
    [InlineData("v.w.w")]
    [InlineData("v[].w[]")]
    [InlineData("v.Count")]
    [InlineData("v.length")]
    [InlineData("v[].w.Count")]
    [InlineData("'a.b'")]
    [InlineData("'a.b'.'it\\'s'")]
    public async Task A_field_beside_a_loaded_document_has_the_value_that_it_has_alone(string path)
    {
        string[] values =
        [
            "\"text\"",
            "5",
            "null",
            "[]",
            "[7,\"x\"]",
            """{"w":1}""",
            """{"w":[1,{"w":2}]}""",
            """[{"w":1},{"w":[2,3]},null,[{"w":4}]]""",
            "9007199254740993",
        ];
        for (var i = 0; i < values.Length; i++)
            await PutAsync($"values/{i}", $$$"""{"n":{{{i}}},"a.b":{"it's":{{{values[i]}}}},"v":{{{values[i]}}}}""", "Values");

        var alone = await QueryAsync($"from Values as d order by n as long select d.{path} as p");
        var beside = await QueryAsync($"from Values as d order by n as long load 'companies/2' as c select d.{path} as p, c.name as name");

        Assert.Equal(values.Length, Results(alone).Count());
        Assert.Equal(Results(alone).Select(row => row[..^1] + ",\"name\":\"Holding\"}"), Results(beside));
    }

    [Fact]
    public async Task A_document_of_which_a_script_makes_nothing_is_left_out_and_counted()
    {
        var answer = await QueryAsync(
            "declare function f(o) { return o.total > 10 ? { t: o.total } : null; } from Orders as o select f(o)"
        );

        Assert.Equal(["""{"t":20}""", """{"t":30}"""], Results(answer));
        Assert.Equal((4, 2), (Number(answer, "TotalResults"), Number(answer, "SkippedResults")));
    }

    [Theory]
    [InlineData("from Orders as o select { a: }", "does not compile")]
    [InlineData("from Orders as o select { a: o.none() }", "orders/1")]
    [InlineData("declare function f(o) { return 5; } from Orders as o select f(o)", "must give an object")]
    [InlineData("from Orders as o select { a: put('x', {}) }", "put() is not supported")]
    [InlineData("from Orders as o load o.company as o select { a: 1 }", "must be different")]
    [InlineData("from Orders as o load o.company as c", "needs a 'select'")]
    [InlineData("from Orders filter_limit 5", "the query has none")]
    public async Task A_script_that_fails_is_told_with_its_reason(string query, string reason)
    {
        var answer = await SendAsync(query);

        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("InvalidQueryException", answer.Text, StringComparison.Ordinal);
        Assert.Contains(reason, answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Distinct_rows_come_once_and_those_left_out_are_counted()
    {
        var all = await QueryAsync("from Orders select distinct company");
        Assert.Equal(["""{"company":"companies/1"}""", """{"company":"companies/2"}""", """{"company":"companies/9"}"""], Results(all));
        Assert.Equal((4, 1), (Number(all, "TotalResults"), Number(all, "SkippedResults")));

        var first = await QueryAsync("from Orders select distinct total limit 0, 1");
        Assert.Equal(["""{"total":10}"""], Results(first));
        // The next page begins behind the matches that were looked at, and knows what the first one held.
        var rest = await QueryAsync("from Orders select distinct total limit 1, 5");
        Assert.Equal(["""{"total":20}""", """{"total":30}"""], Results(rest));
        Assert.Equal(1, Number(rest, "SkippedResults"));
        Assert.Equal(6, Number(await QueryAsync("from @all_docs select distinct *"), "TotalResults"));
    }

    [Theory]
    [InlineData("total > 10", "orders/2,orders/3", 4)]
    [InlineData("company = 'COMPANIES/1' and not total = 20", "orders/1,orders/4", 4)]
    [InlineData("lines[].p = 'b' or lines[].n >= 5", "orders/1,orders/2", 4)]
    [InlineData("exists(big)", "orders/4", 4)]
    [InlineData("startsWith(company, 'companies/') and total in (10, 30)", "orders/1,orders/3,orders/4", 4)]
    [InlineData("exact(company = 'Companies/1')", "", 4)]
    [InlineData("regex(company, '[29]$')", "orders/2,orders/3", 4)]
    [InlineData("id() = 'orders/2' or big = 9007199254740992", "orders/2", 4)]
    [InlineData("total between 15 and 25", "orders/2", 4)]
    [InlineData("total < 100 filter_limit 2", "orders/1,orders/2", 2)]
    public async Task A_filter_looks_at_documents_one_by_one_without_an_index(string filter, string ids, int scanned)
    {
        var answer = await QueryAsync($"from Orders filter {filter}");

        Assert.Equal(ids, string.Join(',', answer.Ids));
        Assert.Equal("collection/Orders", answer.Json.GetProperty("IndexName").GetString());
        Assert.Equal(scanned, Number(answer, "ScannedResults"));
        Assert.Equal(answer.Ids.Count(), Number(answer, "TotalResults"));
    }

    [Fact]
    public async Task A_filter_has_pages_and_goes_with_projections()
    {
        var answer = await QueryAsync("from Orders filter total < 30 select total limit 1, 1");

        Assert.Equal(["""{"total":20}"""], Results(answer));
        Assert.Equal((3, 1), (Number(answer, "TotalResults"), Number(answer, "CappedMaxResults")));
    }

    [Fact]
    public async Task A_stream_gives_the_same_rows()
    {
        var lines = await _database.SendAsync(
            "POST",
            "/streams/queries?format=jsonl",
            """{"Query":"from Orders as o filter o.total > 10 select { t: o.total }"}"""
        );

        var rows = lines.Text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(3, rows.Length);
        Assert.Equal(20, JsonDocument.Parse(rows[1]).RootElement.GetProperty("Item").GetProperty("t").GetInt32());
    }

    private static int Number(WireAnswer answer, string name) => answer.Json.GetProperty(name).GetInt32();

    private static IEnumerable<string> Results(WireAnswer answer) =>
        answer.Json.GetProperty("Results").EnumerateArray().Select(WithoutMetadata);

    private static string WithoutMetadata(JsonElement result)
    {
        var members = result.EnumerateObject().Where(member => member.Name != "@metadata");
        return "{" + string.Join(',', members.Select(member => $"\"{member.Name}\":{member.Value.GetRawText()}")) + "}";
    }

    private async Task<WireAnswer> QueryAsync(string query, string parameters = "{}")
    {
        var answer = await SendAsync(query, parameters);
        Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
        return answer;
    }

    private Task<WireAnswer> SendAsync(string query, string parameters = "{}") =>
        _database.SendAsync("POST", "/queries", $$"""{"Query":{{JsonSerializer.Serialize(query)}},"QueryParameters":{{parameters}}}""");

    private Task<string> PutAsync(string id, string json, string collection) =>
        _database.PutAsync(id, json[..^1] + ",\"@metadata\":{\"@collection\":\"" + collection + "\"}}");
}

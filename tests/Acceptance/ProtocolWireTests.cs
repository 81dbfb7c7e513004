using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Jackdaw.Acceptance;

/// <summary>What clients of the protocol stumble over when it is only nearly right.</summary>
public sealed partial class ProtocolWireTests(WireServer server) : IClassFixture<WireServer>
{
    [Fact]
    public async Task Dates_have_seven_decimals_and_a_Z_in_documents_only()
    {
        var database = await server.NewDatabaseAsync();
        for (var i = 0; i < 20; i++)
        {
            var result = (await BatchAsync(database, """{"Type":"PUT","Id":"users/1","Document":{}}""")).GetProperty("Results")[0];
            var inResult = result.GetProperty("@last-modified").GetString()!;
            Assert.Matches(WithoutZ(), inResult);
            Assert.Equal(
                inResult + "Z",
                (await database.DocumentAsync("users/1")).GetProperty("@metadata").GetProperty("@last-modified").GetString()
            );
        }
    }

    [Fact]
    public async Task A_puts_result_holds_nothing_that_is_not_metadata()
    {
        var database = await server.NewDatabaseAsync();
        var results = (
            await BatchAsync(
                database,
                """{"Type":"PUT","Id":"users/1","ChangeVector":null,"Document":{"a":1,"@metadata":{"@collection":"Users","Raven-Node-Type":"User"}}}""",
                """{"Type":"DELETE","Id":"users/2","ChangeVector":null}"""
            )
        ).GetProperty("Results");
        Assert.Equal(["Type", "@id", "@collection", "@change-vector", "@last-modified"], results[0].EnumerateObject().Select(p => p.Name));
        Assert.Equal("DELETE", results[1].GetProperty("Type").GetString());
        Assert.Equal("users/2", results[1].GetProperty("Id").GetString());
    }

    [Fact]
    public async Task A_document_without_a_collection_is_in_empty_and_does_not_show_it()
    {
        var database = await server.NewDatabaseAsync();
        var result = (
            await BatchAsync(
                database,
                """{"Type":"PUT","Id":"x","Document":{"@metadata":{"Raven-Node-Type":"T","@nested-object-types":{"d":"date"},"@id":"mine","@change-vector":"mine"}}}"""
            )
        ).GetProperty("Results")[0];
        Assert.Equal("@empty", result.GetProperty("@collection").GetString());
        var metadata = (await database.DocumentAsync("x")).GetProperty("@metadata");
        Assert.False(metadata.TryGetProperty("@collection", out _));
        Assert.Equal("T", metadata.GetProperty("Raven-Node-Type").GetString());
        Assert.Equal("date", metadata.GetProperty("@nested-object-types").GetProperty("d").GetString());
        Assert.Equal("x", metadata.GetProperty("@id").GetString());
        Assert.Equal(result.GetProperty("@change-vector").GetString(), metadata.GetProperty("@change-vector").GetString());
        Assert.Equal(1, (await database.GetAsync("/collections/stats")).Json.GetProperty("Collections").GetProperty("@empty").GetInt32());
    }

    [Fact]
    public async Task Ids_end_in_numbers_where_asked_and_keep_the_casing_of_the_first_write()
    {
        var database = await server.NewDatabaseAsync();
        Assert.Matches("^users/[0-9]{19}-A$", await PutAsync("users/"));
        Assert.Equal("users/1", await PutAsync("users|"));
        Assert.Equal("users/2", await PutAsync("Users|", expectedPrefix: "Users/"));
        Assert.True(Guid.TryParse(await PutAsync(""), out _));
        await database.PutAsync("Case/1", """{"n":1}""");
        await database.PutAsync("CASE/1", """{"n":2}""");
        var document = await database.DocumentAsync("case/1");
        Assert.Equal(
            ("Case/1", 2),
            (document.GetProperty("@metadata").GetProperty("@id").GetString(), document.GetProperty("n").GetInt32())
        );

        async Task<string> PutAsync(string id, string? expectedPrefix = null)
        {
            var given = (await database.SendAsync("PUT", $"/docs?id={Uri.EscapeDataString(id)}", "{}")).Json.GetProperty("Id").GetString()!;
            if (expectedPrefix is null)
                return given;
            // Identities compare without case; the id has the casing that was sent.
            Assert.StartsWith(expectedPrefix, given);
            return given.ToLowerInvariant();
        }
    }

    [Fact]
    public async Task Every_stored_item_takes_exactly_one_etag()
    {
        var database = await server.NewDatabaseAsync();
        Assert.StartsWith("A:1-", await database.PutAsync("a", "{}"));
        var results = (
            await BatchAsync(
                database,
                """{"Type":"PUT","Id":"b","Document":{}}""",
                """{"Type":"DELETE","Id":"a"}""",
                """{"Type":"DELETE","Id":"never"}""",
                """{"Type":"PUT","Id":"c","Document":{}}"""
            )
        ).GetProperty("Results");
        Assert.StartsWith("A:2-", results[0].GetProperty("@change-vector").GetString());
        var statistics = (await database.GetAsync("/stats")).Json;
        Assert.StartsWith("A:4-", results[3].GetProperty("@change-vector").GetString());
        Assert.Equal(4, statistics.GetProperty("LastDatabaseEtag").GetInt64());
        Assert.Equal(
            HttpStatusCode.Conflict,
            (
                await database.SendAsync(
                    "POST",
                    "/bulk_docs",
                    """{"Commands":[{"Type":"PUT","Id":"d","Document":{}},{"Type":"PUT","Id":"b","ChangeVector":"","Document":{}}]}"""
                )
            ).Status
        );
        Assert.StartsWith("A:5-", await database.PutAsync("d", "{}"));
    }

    [Theory]
    [InlineData("/docs?&id=users%2F1")]
    [InlineData("/docs?id=users/1&")]
    [InlineData("/docs?id=users/1&allowStale=&include=")]
    [InlineData("/Docs?ID=users%2f1&metadataOnly=")]
    [InlineData("/docs?id=users/1&nodeTag=A")]
    public async Task Query_strings_are_read_tolerantly(string path)
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", "{}");
        Assert.Equal(["users/1"], (await database.GetAsync(path)).Ids);
    }

    [Fact]
    public async Task The_node_is_named_as_it_was_printed_and_its_topology_does_not_move()
    {
        var database = await server.NewDatabaseAsync();
        var topology = JsonDocument
            .Parse(await server.Client.GetStringAsync($"{server.Url}/topology?name={database.Name}&first-topology-update"))
            .RootElement;
        var etag = topology.GetProperty("Etag").GetInt64();
        Assert.True(etag > 0);
        Assert.Equal(server.Url, Assert.Single(topology.GetProperty("Nodes").EnumerateArray()).GetProperty("Url").GetString());
        await database.PutAsync("a", "{}");
        Assert.Equal(
            etag,
            JsonDocument
                .Parse(await server.Client.GetStringAsync($"{server.Url}/topology?name={database.Name}"))
                .RootElement.GetProperty("Etag")
                .GetInt64()
        );
        var current = await database.GetAsync("/docs?id=a", ("Topology-Etag", $"\"{etag}\""));
        Assert.DoesNotContain("Refresh-Topology", current.Headers.Keys);
        Assert.Matches(@"^\d+\.\d+\.\d+", current.Headers["Raven-Server-Version"]);
    }

    [Fact]
    public async Task HiLo_ranges_double_when_they_go_quickly_and_follow_the_document()
    {
        var database = await server.NewDatabaseAsync();
        var range = await NextAsync("lastBatchSize=0&lastRangeAt=0001-01-01T00:00:00.0000000&lastMax=0");
        Assert.Equal(
            ("users/", 1, 32, 32, "A"),
            (
                range.GetProperty("Prefix").GetString(),
                range.GetProperty("Low").GetInt64(),
                range.GetProperty("High").GetInt64(),
                range.GetProperty("LastSize").GetInt64(),
                range.GetProperty("ServerTag").GetString()
            )
        );
        range = await NextAsync($"lastBatchSize=32&lastRangeAt={LittleAfter(range)}&lastMax=32");
        Assert.Equal((33, 96), Bounds(range));
        range = await NextAsync($"lastBatchSize=64&lastRangeAt={LittleAfter(range)}&lastMax=96");
        Assert.Equal((97, 224), Bounds(range));
        var slow = DateTime.UtcNow.AddMinutes(-5).ToString("o", CultureInfo.InvariantCulture);
        Assert.Equal((225, 288), Bounds(await NextAsync($"lastBatchSize=128&lastRangeAt={slow}&lastMax=224")));

        Assert.Equal(288, (await database.DocumentAsync("Raven/Hilo/users")).GetProperty("Max").GetInt64());
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("PUT", "/hilo/return?tag=users&end=224&last=200")).Status);
        Assert.Equal(288, (await database.DocumentAsync("Raven/Hilo/users")).GetProperty("Max").GetInt64());
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("PUT", "/hilo/return?tag=users&end=288&last=230")).Status);
        Assert.Equal((231, 262), Bounds(await NextAsync("lastBatchSize=0")));

        await database.PutAsync("Raven/Hilo/users", """{"Max":1000,"note":"mine","@metadata":{"@collection":"@hilo"}}""");
        Assert.Equal((1001, 1032), Bounds(await NextAsync("")));
        Assert.Equal("mine", (await database.DocumentAsync("Raven/Hilo/users")).GetProperty("note").GetString());
        Assert.Equal((5001, 5032), Bounds(await NextAsync("lastMax=5000")));

        async Task<JsonElement> NextAsync(string query) =>
            (await database.GetAsync($"/hilo/next?tag=users&identityPartsSeparator=/&{query}")).Json;
        // However long the machine takes between two requests.
        static string LittleAfter(JsonElement range) =>
            range.GetProperty("LastRangeAt").GetDateTime().AddMinutes(10).ToString("o", CultureInfo.InvariantCulture);
        static (long, long) Bounds(JsonElement range) => (range.GetProperty("Low").GetInt64(), range.GetProperty("High").GetInt64());
    }

    [Fact]
    public async Task Identities_count_up_are_only_raised_without_force_and_are_counted_once_a_request_id()
    {
        var database = await server.NewDatabaseAsync();
        Assert.Equal(1, await NumberAsync("/identity/next?name=users", "NewIdentityValue"));
        Assert.Equal(2, await NumberAsync("/identity/next?name=USERS%7C", "NewIdentityValue"));
        Assert.Equal(1990, await NumberAsync("/identity/seed?name=users%7C&value=1990", "NewSeedValue"));
        Assert.Equal(1990, await NumberAsync("/identity/seed?name=users&value=5", "NewSeedValue"));
        Assert.Equal(5, await NumberAsync("/identity/seed?name=users&value=5&force=true", "NewSeedValue"));
        for (var i = 0; i < 2; i++)
            Assert.Equal(6, await NumberAsync("/identity/next?name=users&raft-request-id=6c9e7d9e", "NewIdentityValue"));
        Assert.Equal("""{"users|":6}""", (await database.GetAsync("/debug/identities")).Text);
        Assert.Equal("users/7", (await database.SendAsync("PUT", "/docs?id=users%7C", "{}")).Json.GetProperty("Id").GetString());

        async Task<long> NumberAsync(string path, string property) =>
            (await database.SendAsync("POST", path)).Json.GetProperty(property).GetInt64();
    }

    [Theory]
    [InlineData("""{"Query":"from Ns order by id() limit $p0, $p1","QueryParameters":{"p0":null,"p1":2}}""", "n/0 n/1", 5)]
    [InlineData("""{"Query":"from Ns order by id()","Start":1,"PageSize":2}""", "n/1 n/2", 5)]
    [InlineData("""{"Query":"from Ns order by id()","Start":0,"PageSize":2147483647}""", "n/0 n/1 n/2 n/3 n/4", 5)]
    [InlineData("""{"Query":"from Ns order by id()","Start":3}""", "n/3 n/4", 5)]
    // Older clients send the page in both places: the later start counts, and the smaller size.
    [InlineData(
        """{"Query":"from Ns order by id() limit $p0, $p1","QueryParameters":{"p0":2,"p1":2},"Start":2,"PageSize":2}""",
        "n/2 n/3",
        5
    )]
    [InlineData("""{"Query":"from Ns order by id() limit 1, 3","Start":1,"PageSize":5}""", "n/1 n/2 n/3", 5)]
    [InlineData("""{"Query":"from Ns order by id() limit 1, 3","Start":2,"PageSize":2}""", "n/2 n/3", 5)]
    [InlineData("""{"Query":"from Ns order by id() limit 3, 3","Start":1,"PageSize":1}""", "n/3", 5)]
    [InlineData("""{"Query":"from Ns order by id() limit 1, 3","Start":9223372036854775807,"PageSize":5}""", "", 5)]
    [InlineData("""{"Query":"from Ns order by id()","Start":null,"PageSize":null}""", "n/0 n/1 n/2 n/3 n/4", 5)]
    [InlineData("""{"Query":"from Ns order by id()","PageSize":0}""", "", 5)]
    public async Task A_query_is_paged_in_its_text_or_beside_it(string body, string expected, int total)
    {
        var database = await server.NewDatabaseAsync();
        for (var i = 0; i < 5; i++)
            await database.PutAsync($"n/{i}", """{"@metadata":{"@collection":"Ns"}}""");
        var answer = await database.SendAsync("POST", "/queries?queryHash=1", body);
        Assert.Equal(expected, string.Join(' ', answer.Ids));
        Assert.Equal(total, answer.Json.GetProperty("TotalResults").GetInt32());
        Assert.False(answer.Json.GetProperty("IsStale").GetBoolean());
    }

    [Theory]
    [InlineData("""{"Query":"from Ns","Start":-1}""")]
    [InlineData("""{"Query":"from Ns","PageSize":-5}""")]
    [InlineData("""{"Query":"from Ns","PageSize":"many"}""")]
    public async Task A_page_beside_a_query_that_is_none_is_a_bad_request(string body)
    {
        var database = await server.NewDatabaseAsync();
        var answer = await database.SendAsync("POST", "/queries?queryHash=1", body);
        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.EndsWith("BadRequestException", answer.Json.GetProperty("Type").GetString());
    }

    private static async Task<JsonElement> BatchAsync(WireDatabase database, params string[] commands)
    {
        var answer = await database.SendAsync("POST", "/bulk_docs?", $$"""{"Commands":[{{string.Join(',', commands)}}]}""");
        Assert.Equal(HttpStatusCode.Created, answer.Status);
        return answer.Json;
    }

    [GeneratedRegex(@"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$")]
    private static partial Regex WithoutZ();
}

using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>Single documents and lists of them, as they go over the wire.</summary>
public sealed class DocumentsWireTests(WireServer server) : IClassFixture<WireServer>
{
    [Theory]
    [InlineData("GET")]
    [InlineData("HEAD")]
    public async Task The_etag_of_a_document_is_its_change_vector_and_answers_304_until_it_changes(string method)
    {
        var database = await server.NewDatabaseAsync();
        var vector = await database.PutAsync("users/1", """{"name":"a"}""");
        var found = await database.SendAsync(method, "/docs?id=users/1");
        Assert.Equal((HttpStatusCode.OK, $"\"{vector}\""), (found.Status, found.Etag));
        Assert.Equal(method == "HEAD", found.Text.Length == 0);
        foreach (var known in new[] { $"\"{vector}\"", vector })
        {
            var unchanged = await database.SendAsync(method, "/docs?id=users/1", null, ("If-None-Match", known));
            Assert.Equal((HttpStatusCode.NotModified, ""), (unchanged.Status, unchanged.Text));
        }
        var changed = await database.PutAsync("users/1", """{"name":"a"}""");
        var again = await database.SendAsync(method, "/docs?id=users/1", null, ("If-None-Match", $"\"{vector}\""));
        Assert.Equal((HttpStatusCode.OK, $"\"{changed}\""), (again.Status, again.Etag));
        await database.SendAsync("DELETE", "/docs?id=users/1");
        foreach (var known in new[] { $"\"{changed}\"", "\"404 Response\"" })
        {
            var missing = await database.SendAsync(method, "/docs?id=users/1", null, ("If-None-Match", known));
            Assert.Equal((HttpStatusCode.NotFound, ""), (missing.Status, missing.Text));
        }
    }

    [Fact]
    public async Task An_answer_of_any_size_is_sent_whole_on_a_connection_that_goes_on()
    {
        var database = await server.NewDatabaseAsync();
        // Answers of one block of the HTTP server, of one larger block, and of many: the sizes around both bounds.
        foreach (var size in new[] { 1, 3_500, 3_900, 4_096, 4_200, 25_000, 65_000, 65_536, 66_000, 200_000 })
        {
            var text = new string('a', size - 1) + (char)('a' + size % 26);
            await database.PutAsync("users/1", $$"""{"text":"{{text}}"}""");
            var got = await database.GetAsync("/docs?id=users/1");
            Assert.Equal(text, got.Json.GetProperty("Results")[0].GetProperty("text").GetString());
            var head = await database.SendAsync("HEAD", "/docs?id=users/1");
            Assert.Equal((HttpStatusCode.OK, ""), (head.Status, head.Text));
            var queried = await database.SendAsync("POST", "/queries", """{"Query":"from @all_docs where id() = 'users/1'"}""");
            Assert.Equal(text, queried.Json.GetProperty("Results")[0].GetProperty("text").GetString());
            var inner = await database.SendAsync(
                "POST",
                "/multi_get",
                $$"""{"Requests":[{"Url":"/databases/{{database.Name}}/docs","Query":"?id=users/1"}]}"""
            );
            Assert.Equal(
                text,
                inner.Json.GetProperty("Results")[0].GetProperty("Result").GetProperty("Results")[0].GetProperty("text").GetString()
            );
        }
    }

    [Fact]
    public async Task A_delete_answers_204_without_a_body_whether_or_not_the_document_was_there()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", "{}");
        for (var i = 0; i < 2; i++)
        {
            var deleted = await database.SendAsync("DELETE", "/docs?id=users/1");
            Assert.Equal((HttpStatusCode.NoContent, ""), (deleted.Status, deleted.Text));
            Assert.DoesNotContain("Content-Type", deleted.Headers.Keys);
        }
    }

    [Theory]
    [InlineData("PUT", "{0}")]
    [InlineData("PUT", "\"{0}\"")]
    [InlineData("DELETE", "{0}")]
    [InlineData("DELETE", "\"{0}\"")]
    public async Task If_Match_is_honoured_with_quotes_and_without(string method, string form)
    {
        var database = await server.NewDatabaseAsync();
        var first = await database.PutAsync("users/1", """{"n":1}""");
        var second = await database.PutAsync("users/1", """{"n":2}""");

        var refused = await SendAsync("users/1", first);
        Assert.Equal(HttpStatusCode.Conflict, refused.Status);
        Assert.Equal("Raven.Client.Exceptions.ConcurrencyException", refused.Json.GetProperty("Type").GetString());
        foreach (var property in new[] { "Message", "Error" })
            Assert.Contains("has change vector", refused.Json.GetProperty(property).GetString());
        Assert.Equal(
            ("users/1", first, second),
            (
                refused.Json.GetProperty("Id").GetString(),
                refused.Json.GetProperty("ExpectedChangeVector").GetString(),
                refused.Json.GetProperty("ActualChangeVector").GetString()
            )
        );
        Assert.Equal(2, (await database.DocumentAsync("users/1")).GetProperty("n").GetInt32());

        Assert.Equal(HttpStatusCode.Conflict, (await SendAsync("users/none", first)).Status);
        Assert.Equal(method == "PUT" ? HttpStatusCode.Created : HttpStatusCode.NoContent, (await SendAsync("users/1", second)).Status);

        Task<WireAnswer> SendAsync(string id, string vector) =>
            database.SendAsync(
                method,
                $"/docs?id={id}",
                method == "PUT" ? """{"n":3}""" : null,
                ("If-Match", form.Replace("{0}", vector, StringComparison.Ordinal))
            );
    }

    [Fact]
    public async Task An_empty_change_vector_means_that_there_must_be_no_document_and_null_that_nothing_is_checked()
    {
        var database = await server.NewDatabaseAsync();
        Assert.Equal(HttpStatusCode.Created, (await PutAsync("\"\"")).Status);
        Assert.Equal(HttpStatusCode.Conflict, (await PutAsync("\"\"")).Status);
        Assert.Equal(HttpStatusCode.Created, (await PutAsync("null")).Status);

        Task<WireAnswer> PutAsync(string vector) =>
            database.SendAsync(
                "POST",
                "/bulk_docs",
                $$$"""{"Commands":[{"Type":"PUT","Id":"users/1","ChangeVector":{{{vector}}},"Document":{}}]}"""
            );
    }

    [Fact]
    public async Task One_missing_document_is_a_404_without_a_body_and_several_are_null_holes()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", "{}");
        var one = await database.GetAsync("/docs?id=users/9");
        Assert.Equal((HttpStatusCode.NotFound, ""), (one.Status, one.Text));
        var several = await database.GetAsync("/docs?id=users/9&id=USERS/1&id=users/8&id=users/1");
        Assert.Equal(HttpStatusCode.OK, several.Status);
        Assert.Equal([null, "users/1", null, "users/1"], several.Ids);
        var none = await database.GetAsync("/docs?id=users/8&id=users/9");
        Assert.Equal(HttpStatusCode.OK, none.Status);
        Assert.Equal([null, null], none.Ids);
    }

    [Theory]
    [InlineData("include=supplierId", new[] { "suppliers/1" })]
    [InlineData("include=supplierId&include=nothingHere&include=address.cityId", new[] { "cities/1", "suppliers/1" })]
    [InlineData("include=items[].productId", new[] { "products/1", "products/2" })]
    [InlineData("include=tagIds", new[] { "tags/1", "tags/2" })]
    [InlineData("include=employee(employees/)", new[] { "employees/7" })]
    [InlineData("include=shipper[shippers/{0}/x]", new[] { "shippers/3/x" })]
    [InlineData("include=missingId", new string[0])]
    [InlineData("include=selfId", new string[0])]
    public async Task Includes_bring_what_the_results_refer_to_and_leave_out_what_does_not_exist(string include, string[] expected)
    {
        var database = await server.NewDatabaseAsync();
        foreach (
            var id in new[] { "suppliers/1", "cities/1", "products/1", "products/2", "tags/1", "tags/2", "employees/7", "shippers/3/x" }
        )
            await database.PutAsync(id, $$"""{"is":"{{id}}"}""");
        await database.PutAsync(
            "orders/1",
            """
            {"supplierId":"suppliers/1","address":{"cityId":"cities/1"},"items":[{"productId":"products/1"},{"productId":"products/2"},{"productId":"products/9"},{"productId":null}],
             "tagIds":["tags/1","tags/2"],"employee":7,"shipper":3,"missingId":"gone/1","selfId":"orders/1"}
            """
        );
        foreach (var path in new[] { $"/docs?id=orders/1&{include}", $"/docs?startsWith=orders/&{include}" })
        {
            var answer = await database.GetAsync(path);
            Assert.Equal(["orders/1"], answer.Ids);
            Assert.Equal(expected, answer.Includes);
            foreach (var included in answer.Json.GetProperty("Includes").EnumerateObject())
                Assert.Equal(included.Name, included.Value.GetProperty("is").GetString());
        }
    }

    [Fact]
    public async Task Ids_in_a_body_are_answered_as_ids_in_the_query()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("a/1", """{"b":"b/1"}""");
        await database.PutAsync("b/1", "{}");
        var get = await database.GetAsync("/docs?id=a/1&id=x&include=b");
        var post = await database.SendAsync("POST", "/docs?include=b&loadHash=1", """{"Ids":["a/1","x"]}""");
        Assert.Equal((HttpStatusCode.OK, get.Text, get.Etag), (post.Status, post.Text, post.Etag));
        Assert.Equal(
            HttpStatusCode.NotModified,
            (await database.SendAsync("POST", "/docs?include=b&loadHash=1", """{"Ids":["a/1","x"]}""", ("If-None-Match", get.Etag!))).Status
        );
    }

    [Fact]
    public async Task Metadata_only_is_the_document_without_its_body()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", """{"name":"a","@metadata":{"@collection":"Users","mine":1}}""");
        var whole = await database.DocumentAsync("users/1");
        foreach (
            var path in new[]
            {
                "/docs?id=users/1&metadataOnly=true",
                "/docs?startsWith=users/&metadataOnly=true",
                "/docs?start=0&pageSize=5&metadataOnly=true",
            }
        )
        {
            var document = Assert.Single((await database.GetAsync(path)).Json.GetProperty("Results").EnumerateArray());
            Assert.Equal("@metadata", Assert.Single(document.EnumerateObject()).Name);
            Assert.Equal(whole.GetProperty("@metadata").GetRawText(), document.GetProperty("@metadata").GetRawText());
        }
    }

    [Theory]
    [InlineData("startsWith=users/", "users/1 users/10 users/11 users/2 users/abc", 5)]
    [InlineData("startsWith=USERS/", "users/1 users/10 users/11 users/2 users/abc", 5)]
    [InlineData("startsWith=users/&matches=1*", "users/1 users/10 users/11", 3)]
    [InlineData("startsWith=users/&matches=1?|A*", "users/10 users/11 users/abc", 3)]
    [InlineData("startsWith=users/&matches=&exclude=1*|abc&startAfter=", "users/2", 1)]
    [InlineData("startsWith=users/&matches=1*&exclude=?0", "users/1 users/11", 2)]
    [InlineData("startsWith=users/&startAfter=users/10", "users/11 users/2 users/abc", 3)]
    [InlineData("startsWith=users/&startAfter=USERS/2", "users/abc", 1)]
    [InlineData("startsWith=users/&start=1&pageSize=2", "users/10 users/11", 3)]
    [InlineData("startsWith=users/&start=1&pageSize=2&exclude=10", "users/11 users/2", 3)]
    [InlineData("startsWith=users/&pageSize=0", "", 0)]
    [InlineData("startsWith=none/", "", 0)]
    [InlineData("startsWith=users/&start=9", "", 9)]
    public async Task A_prefix_gives_a_page_in_id_order_and_where_the_next_one_starts(string query, string expected, int nextPageStart)
    {
        var database = await server.NewDatabaseAsync();
        foreach (var id in new[] { "users/abc", "users/2", "users/11", "users/10", "users/1", "user", "users0", "others/1" })
            await database.PutAsync(id, "{}");
        var answer = await database.GetAsync($"/docs?{query}");
        Assert.Equal(expected, string.Join(' ', answer.Ids));
        Assert.Equal(nextPageStart, answer.Json.GetProperty("NextPageStart").GetInt64());
    }

    [Theory]
    [InlineData("GET", "/docs?id=a/1&id=a/2", null)]
    [InlineData("GET", "/docs?id=a/1&include=b", null)]
    [InlineData("GET", "/docs?startsWith=a/", null)]
    [InlineData("GET", "/docs?start=0&pageSize=10", null)]
    [InlineData("POST", "/docs?include=b", """{"Ids":["a/1","a/3"]}""")]
    [InlineData("POST", "/queries?queryHash=1", """{"Query":"from As include b"}""")]
    public async Task An_answer_is_304_only_while_nothing_that_it_shows_has_changed(string method, string path, string? body)
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("a/1", """{"b":"b/1","@metadata":{"@collection":"As"}}""");
        await database.PutAsync("a/2", """{"b":"b/2","@metadata":{"@collection":"As"}}""");
        await database.PutAsync("b/1", "{}");
        var seen = new HashSet<string>();
        var etag = await RequireFreshAsync("\"404 Response\"");
        await database.PutAsync("a/1", """{"b":"b/1","changed":1,"@metadata":{"@collection":"As"}}""");
        etag = await RequireFreshAsync(etag);
        if (path.Contains("include", StringComparison.Ordinal) || body?.Contains("include", StringComparison.Ordinal) == true)
        {
            await database.PutAsync("b/1", """{"changed":1}""");
            etag = await RequireFreshAsync(etag);
            await database.SendAsync("DELETE", "/docs?id=b/1");
            etag = await RequireFreshAsync(etag);
            await database.PutAsync("b/1", """{"back":1}""");
            etag = await RequireFreshAsync(etag);
        }
        await database.SendAsync("DELETE", "/docs?id=a/1");
        // A single id that is gone is a 404, of which there is nothing to cache.
        if (!path.StartsWith("/docs?id=a/1&include", StringComparison.Ordinal))
            await RequireFreshAsync(etag);

        async Task<string> RequireFreshAsync(string known)
        {
            var fresh = await database.SendAsync(method, path, body, ("If-None-Match", known));
            Assert.Equal(HttpStatusCode.OK, fresh.Status);
            Assert.True(seen.Add(fresh.Etag!), $"{fresh.Etag} came twice");
            var unchanged = await database.SendAsync(method, path, body, ("If-None-Match", fresh.Etag!));
            Assert.Equal((HttpStatusCode.NotModified, ""), (unchanged.Status, unchanged.Text));
            return fresh.Etag!;
        }
    }

    /// <summary>The npm client hashes no dates: two queries by date have one URL, and one place in its cache.</summary>
    [Theory]
    [InlineData("from As filter n > $n")]
    [InlineData("from As where n > $n")]
    [InlineData("from As where id() != $n")]
    public async Task An_answer_is_not_confirmed_for_a_query_with_other_parameters(string query)
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("a/1", """{"n":"2026-11-22","@metadata":{"@collection":"As"}}""");
        const string Path = "/queries?queryHash=1";
        await database.SendAsync("POST", Path, Body("2026-11-20", wait: true));

        var one = await database.SendAsync("POST", Path, Body("2026-11-20"));
        var other = await database.SendAsync("POST", Path, Body("2026-11-24"), ("If-None-Match", one.Etag!));
        var again = await database.SendAsync("POST", Path, Body("2026-11-24"), ("If-None-Match", other.Etag!));

        Assert.Equal(HttpStatusCode.OK, other.Status);
        Assert.NotEqual(one.Etag, other.Etag);
        Assert.Equal(HttpStatusCode.NotModified, again.Status);

        string Body(string n, bool wait = false) =>
            JsonSerializer.Serialize(
                new
                {
                    Query = query,
                    QueryParameters = new { n },
                    WaitForNonStaleResults = wait,
                }
            );
    }

    [Fact]
    public async Task Each_request_of_a_multi_get_has_a_status_of_its_own()
    {
        var database = await server.NewDatabaseAsync();
        var vector = await database.PutAsync("a/1", """{"n":1,"@metadata":{"@collection":"As"}}""");
        var docs = $"/databases/{database.Name}/docs";
        var answer = await database.SendAsync(
            "POST",
            "/multi_get",
            $$$"""
            {"Requests":[
              {"Url":"{{{docs}}}","Query":"?id=a/1"},
              {"Url":"{{{docs}}}","Query":"?id=a/1","Method":"GET","Headers":{"If-None-Match":"\"{{{vector}}}\""}},
              {"Url":"{{{docs}}}","Query":"?&id=a/9"},
              {"Url":"{{{docs}}}","Query":"?include=b","Method":"POST","Content":"{\"Ids\":[\"a/9\",\"a/1\"]}"},
              {"Url":"/databases/{{{database.Name}}}/queries","Query":"?queryHash=1","Method":"POST","Content":{"Query":"from As where id() = 'a/1'"}},
              {"Url":"{{{docs}}}","Query":"?start=-1"}]}
            """
        );
        Assert.Equal(HttpStatusCode.OK, answer.Status);
        var results = answer.Json.GetProperty("Results").EnumerateArray().ToArray();
        Assert.Equal([200, 304, 404, 200, 200, 400], results.Select(r => r.GetProperty("StatusCode").GetInt32()));
        Assert.Equal(1, results[0].GetProperty("Result").GetProperty("Results")[0].GetProperty("n").GetInt32());
        Assert.Equal($"\"{vector}\"", results[0].GetProperty("Headers").GetProperty("ETag").GetString());
        Assert.Equal(JsonValueKind.Null, results[1].GetProperty("Result").ValueKind);
        Assert.Equal(JsonValueKind.Null, results[2].GetProperty("Result").GetProperty("Results")[0].ValueKind);
        Assert.Equal(
            [JsonValueKind.Null, JsonValueKind.Object],
            results[3].GetProperty("Result").GetProperty("Results").EnumerateArray().Select(d => d.ValueKind)
        );
        Assert.Equal(1, results[4].GetProperty("Result").GetProperty("TotalResults").GetInt32());
        Assert.EndsWith("BadRequestException", results[5].GetProperty("Result").GetProperty("Type").GetString());
    }
}

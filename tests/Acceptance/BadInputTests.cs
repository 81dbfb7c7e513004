using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>Bad input gets a clear error and loses nothing.</summary>
public sealed class BadInputTests(BadInputServer server) : IClassFixture<BadInputServer>, IAsyncLifetime
{
    public Task InitializeAsync() => Task.CompletedTask;

    /// <summary>Whatever a test sent, the document that was there before it is there after it.</summary>
    public Task DisposeAsync() => server.RequireNothingLostAsync();

    [Theory]
    [InlineData("""{"a":""")]
    [InlineData("""{"a":1""")]
    [InlineData("""{"a":1}}""")]
    [InlineData("""{a:1}""")]
    [InlineData("""{"a":01}""")]
    [InlineData("""{"a":"unended}""")]
    [InlineData("[1,2]")]
    [InlineData("\"text\"")]
    [InlineData("12")]
    [InlineData("null")]
    [InlineData("")]
    [InlineData("""{"@metadata":[]}""")]
    public async Task What_is_not_a_JSON_object_is_refused_as_a_document(string json)
    {
        await RequireRefusalAsync(await server.PutAsync("bad/1", json), HttpStatusCode.BadRequest, "BadRequestException");
        await RequireRefusalAsync(
            await PostBatchAsync($$"""{"Commands":[{"Id":"bad/1","Type":"PUT","Document":{{json}}}]}"""),
            HttpStatusCode.BadRequest,
            "BadRequestException"
        );
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync($"{server.Database}/docs?id=bad/1")).StatusCode);
    }

    [Fact]
    public async Task Bytes_that_are_not_UTF_8_are_refused() =>
        await RequireRefusalAsync(
            await server.PutAsync("bad/1", [.. "{\"a\":\""u8, 0xC3, 0x28, .. "\"}"u8]),
            HttpStatusCode.BadRequest,
            "BadRequestException"
        );

    [Fact]
    public async Task Documents_nest_512_levels_and_no_more()
    {
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("deep/1", Nested(512))).StatusCode);
        Assert.Equal(Nested(512).Length, (await DocumentTextAsync("deep/1")).IndexOf(",\"@metadata\"", StringComparison.Ordinal) + 1);
        await RequireRefusalAsync(
            await server.PutAsync("deep/2", Nested(513)),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "limit of 512 levels"
        );
        Assert.Equal(
            HttpStatusCode.Created,
            (await PostBatchAsync($$"""{"Commands":[{"Id":"deep/3","Type":"PUT","Document":{{Nested(512)}}}]}""")).StatusCode
        );
        await RequireRefusalAsync(
            await PostBatchAsync($$"""{"Commands":[{"Id":"deep/4","Type":"PUT","Document":{{Nested(513)}}}]}"""),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "limit of 512 levels"
        );
        await RequireRefusalAsync(
            await PostBatchAsync($$"""{"Commands":[{"Id":"deep/4","Document":{{Nested(513)}},"Type":"PUT"}]}"""),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "limit of 512 levels"
        );
        await RequireRefusalAsync(await PostBatchAsync(new string('[', 100_000)), HttpStatusCode.BadRequest, "BadRequestException");
    }

    [Fact]
    public async Task A_document_or_body_over_its_limit_is_refused_with_the_limit_and_the_setting()
    {
        var document = await RequireRefusalAsync(
            await server.PutAsync("large/1", Large(1 << 20)),
            HttpStatusCode.RequestEntityTooLarge,
            "BadRequestException"
        );
        Assert.Contains("1,048,576", document);
        Assert.Contains("Limits.MaxDocumentSizeInMb", document);
        var body = await RequireRefusalAsync(
            await server.PutAsync("large/1", Large(5 << 20)),
            HttpStatusCode.RequestEntityTooLarge,
            "BadRequestException"
        );
        Assert.Contains("Limits.MaxRequestBodySizeInMb", body);
        using var chunked = new HttpRequestMessage(HttpMethod.Put, $"{server.Database}/docs?id=large/1")
        {
            Content = new StringContent(Large(5 << 20)),
        };
        chunked.Headers.TransferEncodingChunked = true;
        Assert.Contains(
            "Limits.MaxRequestBodySizeInMb",
            await RequireRefusalAsync(await server.Client.SendAsync(chunked), HttpStatusCode.RequestEntityTooLarge, "BadRequestException")
        );
    }

    [Fact]
    public async Task A_body_that_is_staged_to_a_file_is_stored_as_it_is()
    {
        var json = Large(900_000);
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("staged/1", json)).StatusCode);
        Assert.StartsWith(json[..^1], await DocumentTextAsync("staged/1"));
    }

    [Fact]
    public async Task An_impossible_id_is_refused()
    {
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync(new string('x', 512), "{}")).StatusCode);
        await RequireRefusalAsync(
            await server.PutAsync(new string('x', 513), "{}"),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "512"
        );
        await RequireRefusalAsync(
            await server.PutAsync(new string('é', 257), "{}"),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "512"
        );
        await RequireRefusalAsync(await server.PutAsync("a\0b", "{}"), HttpStatusCode.BadRequest, "BadRequestException", "NUL");
        await RequireRefusalAsync(
            await server.Client.PutAsync($"{server.Database}/docs", new StringContent("{}")),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "id"
        );
        await RequireRefusalAsync(
            await server.Client.DeleteAsync($"{server.Database}/docs"),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "id"
        );
    }

    [Fact]
    public async Task An_unknown_database_is_named_in_a_header()
    {
        var answer = await server.Client.GetAsync($"{server.Url}/databases/Nowhere/docs?id=x");
        Assert.Equal("Nowhere", Assert.Single(answer.Headers.GetValues("Database-Missing")));
        await RequireRefusalAsync(answer, HttpStatusCode.NotFound, "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException");
        var topology = await server.Client.GetAsync($"{server.Url}/topology?name=Nowhere");
        Assert.Equal("Nowhere", Assert.Single(topology.Headers.GetValues("Database-Missing")));
        await RequireRefusalAsync(
            topology,
            HttpStatusCode.ServiceUnavailable,
            "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException"
        );
    }

    [Fact]
    public async Task An_unknown_route_and_a_wrong_method_are_told_apart()
    {
        await RequireRefusalAsync(
            await server.Client.GetAsync($"{server.Database}/nothing"),
            HttpStatusCode.NotFound,
            "Raven.Client.Exceptions.Routing.RouteNotFoundException"
        );
        await RequireRefusalAsync(
            await server.Client.GetAsync($"{server.Url}/"),
            HttpStatusCode.NotFound,
            "Raven.Client.Exceptions.Routing.RouteNotFoundException"
        );
        var wrong = await server.Client.PutAsync($"{server.Database}/stats", new StringContent(""));
        Assert.Contains("GET", wrong.Content.Headers.Allow);
        await RequireRefusalAsync(wrong, HttpStatusCode.MethodNotAllowed, "BadRequestException");
    }

    [Theory]
    [InlineData("PUT", "/attachments?id=good/1&name=x")]
    [InlineData("GET", "/cmpxchg?key=x")]
    [InlineData("GET", "/docs?id=good/1&counter=likes")]
    [InlineData("POST", "/admin/pull-replication/generate-certificate?validYears=1")]
    public async Task What_is_not_supported_yet_says_so(string method, string path)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), server.Database + path);
        await RequireRefusalAsync(
            await server.Client.SendAsync(request),
            HttpStatusCode.NotImplemented,
            "System.NotSupportedException",
            "not supported"
        );
    }

    /// <summary>Clients of the protocol take a 404 for "nothing there", and are silent about what had no answer.</summary>
    [Theory]
    [InlineData("DELETE", "db/of/a/later/version", HttpStatusCode.NotFound, HttpStatusCode.NotImplemented, "RouteNotFoundException")]
    [InlineData("GET", "nowhere/docs?id=x", HttpStatusCode.NotFound, HttpStatusCode.ServiceUnavailable, "DatabaseDoesNotExistException")]
    [InlineData("HEAD", "nowhere/docs?id=x", HttpStatusCode.NotFound, HttpStatusCode.NotFound, null)]
    [InlineData("HEAD", "db/attachments?id=x&name=y", HttpStatusCode.NotFound, HttpStatusCode.NotFound, null)]
    public async Task An_error_that_is_404_has_a_status_for_clients_that_they_report(
        string method,
        string path,
        HttpStatusCode status,
        HttpStatusCode clientStatus,
        string? type
    )
    {
        foreach (var (version, expected) in new[] { (null as string, status), ("7.2.2", clientStatus) })
        {
            using var request = new HttpRequestMessage(new HttpMethod(method), $"{server.Url}/databases/{path}");
            if (version is not null)
                request.Headers.Add("Raven-Client-Version", version);
            var answer = await server.Client.SendAsync(request);
            Assert.Equal(expected, answer.StatusCode);
            if (type is not null)
                await RequireRefusalAsync(answer, expected, type);
        }
    }

    [Theory]
    [InlineData("""{"DatabaseNames":["db"],"HardDelete":true,"FromNodes":["B"]}""", "only node is A")]
    [InlineData("""{"DatabaseNames":["db"],"HardDelete":true,"FromNodes":"A"}""", "FromNodes")]
    [InlineData("""{"DatabaseNames":["db"],"HardDelete":"yes"}""", "HardDelete")]
    public async Task A_database_is_not_deleted_from_a_node_that_was_not_meant_nor_otherwise_than_was_meant(string body, string named)
    {
        using var request = new HttpRequestMessage(HttpMethod.Delete, $"{server.Url}/admin/databases")
        {
            Content = new StringContent(body),
        };
        await RequireRefusalAsync(await server.Client.SendAsync(request), HttpStatusCode.BadRequest, "BadRequestException", named);
    }

    [Theory]
    [InlineData("x")]
    [InlineData("")]
    [InlineData("%zz")]
    public async Task A_request_of_a_multi_get_needs_a_path(string url) =>
        await RequireRefusalAsync(
            await server.Client.PostAsync($"{server.Database}/multi_get", new StringContent($$"""{"Requests":[{"Url":"{{url}}"}]}""")),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "begins with '/'"
        );

    [Theory]
    [InlineData("PUT", "/admin/databases?name=other", """{"DatabaseName":5}""", "DatabaseName")]
    [InlineData("PUT", "/admin/databases?name=other", """{"Settings":[]}""", "Settings")]
    [InlineData("PUT", "/admin/databases?name=other", """{"Settings":{"a":{"b":1}}}""", "Settings")]
    [InlineData("PUT", "/databases/db/admin/configuration/settings", """{"a":[1]}""", "Settings")]
    [InlineData("PUT", "/databases/db/docs?id=empty/1", "", "cannot be empty")]
    [InlineData("POST", "/databases/db/queries?queryHash=1", "", "has no body")]
    [InlineData("PATCH", "/databases/db/docs?id=good/1", " ", "has no body")]
    [InlineData("DELETE", "/databases/db/queries?maxOpsPerSec=0", """{"Query":"from Nothing"}""", "at least 1")]
    [InlineData(
        "POST",
        "/databases/db/multi_get",
        """{"Requests":[{"Url":"/databases/db/multi_get/","Method":"POST","Content":"{}"}]}""",
        "another one"
    )]
    [InlineData("GET", "/databases/db/hilo/next?tag=users&identityPartsSeparator=%00", null, "identityPartsSeparator")]
    [InlineData("GET", "/databases/db/hilo/next?tag=users&identityPartsSeparator=%7C", null, "identityPartsSeparator")]
    public async Task A_value_that_cannot_be_is_named(string method, string path, string? body, string named)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), server.Url + path)
        {
            Content = body is null ? null : new StringContent(body),
        };
        await RequireRefusalAsync(await server.Client.SendAsync(request), HttpStatusCode.BadRequest, "BadRequestException", named);
    }

    [Fact]
    public async Task The_health_of_a_server_can_be_asked_for_by_HEAD()
    {
        foreach (var path in new[] { "live", "ready" })
        {
            using var request = new HttpRequestMessage(HttpMethod.Head, $"{server.Url}/health/{path}");
            Assert.Equal(HttpStatusCode.OK, (await server.Client.SendAsync(request)).StatusCode);
        }
    }

    [Theory]
    [InlineData("docs?start=-1")]
    [InlineData("docs?startsWith=a&pageSize=-5")]
    [InlineData("docs?pageSize=many")]
    [InlineData("streams/docs?start=-1")]
    public async Task Negative_paging_is_refused(string path) =>
        await RequireRefusalAsync(
            await server.Client.GetAsync($"{server.Database}/{path}"),
            HttpStatusCode.BadRequest,
            "BadRequestException"
        );

    [Theory]
    [InlineData("PUT", "docs?id=good/1", "{}", "nonsense")]
    [InlineData("PUT", "docs?id=nothing/1", "{}", "nonsense")]
    [InlineData("DELETE", "docs?id=good/1", null, "A:1-short")]
    [InlineData("DELETE", "docs?id=nothing/1", null, "A:x")]
    [InlineData("PATCH", "docs?id=good/1", """{"Patch":{"Script":"this.a = 1"}}""", "é")]
    [InlineData(
        "POST",
        "bulk_docs",
        """{"Commands":[{"Id":"a","Type":"PUT","Document":{}},{"Id":"good/1","Type":"PUT","Document":{},"ChangeVector":"?"}]}""",
        "nonsense"
    )]
    [InlineData("POST", "bulk_docs", """{"Commands":[{"Id":"good/1","Type":"DELETE","ChangeVector":"?"}]}""", "nonsense")]
    [InlineData(
        "POST",
        "bulk_docs",
        """{"Commands":[{"Id":"good/1","Type":"PATCH","Patch":{"Script":""},"ChangeVector":"?"}]}""",
        "nonsense"
    )]
    [InlineData(
        "POST",
        "bulk_docs",
        """{"Commands":[{"Type":"BatchPATCH","Patch":{"Script":""},"Ids":[{"Id":"good/1","ChangeVector":"?"}]}]}""",
        "nonsense"
    )]
    [InlineData("POST", "bulk_docs", """{"Commands":[{"Type":"BatchTrackChanges","TrackedEntities":{"good/1":"?"}}]}""", "nonsense")]
    public async Task A_change_vector_that_cannot_be_parsed_is_a_mismatch_that_says_why(
        string method,
        string path,
        string? body,
        string vector
    )
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), $"{server.Database}/{path}");
        if (body is not null)
            request.Content = new StringContent(body.Replace("?", vector, StringComparison.Ordinal));
        if (path.StartsWith("docs", StringComparison.Ordinal))
            request.Headers.TryAddWithoutValidation("If-Match", $"\"{Uri.EscapeDataString(vector)}\"");
        var expected = path.StartsWith("docs", StringComparison.Ordinal) ? Uri.EscapeDataString(vector) : vector;
        var message = await RequireRefusalAsync(
            await server.Client.SendAsync(request),
            HttpStatusCode.Conflict,
            "Raven.Client.Exceptions.ConcurrencyException",
            expected
        );
        Assert.Contains("is not a change vector", message, StringComparison.Ordinal);
        await server.RequireNothingLostAsync();
    }

    [Fact]
    public async Task A_patch_that_skips_mismatches_skips_a_change_vector_that_cannot_be_parsed()
    {
        using var request = new HttpRequestMessage(
            HttpMethod.Patch,
            $"{server.Database}/docs?id=good/1&skipPatchIfChangeVectorMismatch=true"
        )
        {
            Content = new StringContent("""{"Patch":{"Script":"this.a = 1"}}"""),
        };
        request.Headers.TryAddWithoutValidation("If-Match", "nonsense");
        var answer = await server.Client.SendAsync(request);
        Assert.Contains("\"Skipped\"", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a\u0001b")]
    [InlineData("a\nb\tc")]
    [InlineData("del\u007F")]
    [InlineData("c1\u0085x")]
    [InlineData("two\u001Fparts")]
    public async Task Ids_and_collections_with_control_characters_are_taken_and_shown_escaped(string id)
    {
        var name = JsonSerializer.Serialize(id);
        var stored = await server.PutAsync(id, $$$"""{"a":1,"@metadata":{"@collection":{{{name}}}}}""");
        Assert.Equal(HttpStatusCode.Created, stored.StatusCode);
        Assert.Equal(id, (await stored.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Id").GetString());
        var text = await DocumentTextAsync(id);
        Assert.DoesNotContain(text, letter => char.IsControl(letter));
        var metadata = JsonDocument.Parse(text).RootElement.GetProperty("@metadata");
        Assert.Equal(id, metadata.GetProperty("@id").GetString());
        Assert.Equal(id, metadata.GetProperty("@collection").GetString());
        // As a parameter, as a prefix, and in a list.
        var query = $$$"""{"Query":"from @all_docs where id() = $id","QueryParameters":{"id":{{{name}}}}}""";
        var found = await server.Client.PostAsync($"{server.Database}/queries?queryHash=1", new StringContent(query));
        Assert.Equal(1, (await found.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("TotalResults").GetInt32());
        var collections = await server.Client.GetStringAsync($"{server.Database}/collections/stats");
        Assert.DoesNotContain(collections, letter => char.IsControl(letter));
        Assert.Equal(1, JsonDocument.Parse(collections).RootElement.GetProperty("Collections").GetProperty(id).GetInt32());
        // In an error.
        var conflict = await PostBatchAsync($$$"""{"Commands":[{"Id":{{{name}}},"Type":"PUT","ChangeVector":"","Document":{}}]}""");
        var message = (await BadInputServer.ErrorAsync(conflict)).Message;
        Assert.DoesNotContain(message, letter => char.IsControl(letter));
        Assert.Contains("\\u00", message, StringComparison.Ordinal);
        var deleted = await PostBatchAsync($$"""{"Commands":[{"Id":{{name}},"Type":"DELETE"}]}""");
        Assert.Equal(HttpStatusCode.Created, deleted.StatusCode);
        Assert.Equal(
            HttpStatusCode.NotFound,
            (await server.Client.GetAsync($"{server.Database}/docs?id={Uri.EscapeDataString(id)}")).StatusCode
        );
    }

    [Fact]
    public async Task A_collection_with_a_NUL_is_refused()
    {
        await RequireRefusalAsync(
            await server.PutAsync("nul/1", """{"@metadata":{"@collection":"a\u0000b"}}"""),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "NUL"
        );
    }

    [Fact]
    public async Task A_conflict_carries_the_vectors()
    {
        var answer = await PostBatchAsync(
            """{"Commands":[{"Id":"other/1","Type":"PUT","Document":{}},{"Id":"good/1","Type":"PUT","ChangeVector":"","Document":{}}]}"""
        );
        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        var body = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal("Raven.Client.Exceptions.ConcurrencyException", body.GetProperty("Type").GetString());
        Assert.Contains("has change vector", body.GetProperty("Message").GetString());
        Assert.Equal("", body.GetProperty("ExpectedChangeVector").GetString());
        Assert.StartsWith("A:", body.GetProperty("ActualChangeVector").GetString());
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync($"{server.Database}/docs?id=other/1")).StatusCode);
    }

    [Theory]
    [InlineData("{}", "Commands")]
    [InlineData("[]", "Commands")]
    [InlineData(" ", "has no body")]
    [InlineData("""{"Commands":[],"TransactionMode":"Foo"}""", "TransactionMode")]
    [InlineData("""{"Commands":[],"TransactionMode":5}""", "TransactionMode")]
    [InlineData("""{"Commands":{}}""", "array")]
    [InlineData("""{"Commands":[1]}""", "object")]
    [InlineData("""{"Commands":[{"Id":"a"}]}""", "Type")]
    [InlineData("""{"Commands":[{"Id":"a","Type":"PUT"}]}""", "Document")]
    [InlineData("""{"Commands":[{"Id":1,"Type":"DELETE"}]}""", "Id")]
    [InlineData("""{"Commands":[{"Type":"DELETE"}]}""", "Id")]
    [InlineData("""{"Commands":[{"Type":"DELETE","Id":"good/","IdPrefixed":"no"}]}""", "IdPrefixed")]
    [InlineData("""{"Commands":[{"Type":"PATCH","Id":"good/1","Patch":{"Script":""},"ReturnDocument":1}]}""", "ReturnDocument")]
    [InlineData("""{"Commands":[{"Type":"BatchPATCH","Patch":{"Script":""},"Ids":[{"Id":"good/1","ChangeVector":5}]}]}""", "ChangeVector")]
    [InlineData("""{"Commands":[{"Type":"BatchTrackChanges"}]}""", "TrackedEntities")]
    [InlineData("""{"Commands":[{"Type":"BatchTrackChanges","TrackedEntities":{"good/1":5}}]}""", "good/1")]
    public async Task A_malformed_batch_is_refused_with_what_is_wrong(string body, string named) =>
        await RequireRefusalAsync(await PostBatchAsync(body), HttpStatusCode.BadRequest, "BadRequestException", named);

    [Theory]
    [InlineData("\"Before\"", HttpStatusCode.NotImplemented)]
    [InlineData("\"None\"", HttpStatusCode.Created)]
    [InlineData("null", HttpStatusCode.Created)]
    [InlineData("5", HttpStatusCode.BadRequest)]
    public async Task A_revision_that_a_put_asks_for_is_refused_and_not_forgotten(string strategy, HttpStatusCode status)
    {
        var answer = await PostBatchAsync(
            $$$"""{"Commands":[{"Id":"forced/1","Type":"PUT","Document":{},"ForceRevisionCreationStrategy":{{{strategy}}}}]}"""
        );
        Assert.Equal(status, answer.StatusCode);
        if (status != HttpStatusCode.Created)
            Assert.Contains("ForceRevisionCreationStrategy", (await BadInputServer.ErrorAsync(answer)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_traffic_watch_is_off_and_switching_it_on_is_refused()
    {
        var configuration = await server.Client.GetFromJsonAsync<JsonElement>($"{server.Url}/admin/traffic-watch/configuration");
        Assert.Equal("Off", configuration.GetProperty("TrafficWatchMode").GetString());
        await RequireRefusalAsync(
            await server.Client.PostAsync(
                $"{server.Url}/admin/traffic-watch/configuration",
                new StringContent("""{"TrafficWatchMode":"ToLogFile"}""")
            ),
            HttpStatusCode.NotImplemented,
            "System.NotSupportedException",
            "traffic watch"
        );
    }

    [Theory]
    [InlineData("""{"Commands":[{0}]}""", """{"Id":"n/{0}","Type":"DELETE"}""")]
    [InlineData("""{"Commands":[{"Type":"BatchPATCH","Patch":{"Script":""},"Ids":[{0}]}]}""", """{"Id":"n/{0}"}""")]
    [InlineData("""{"Commands":[{"Type":"BatchTrackChanges","TrackedEntities":{{0}}}]}""", "\"n/{0}\":null")]
    public async Task A_batch_that_takes_more_memory_than_it_may_is_refused_with_the_limit_and_the_setting(string body, string part)
    {
        // A megabyte is the limit of this server.
        foreach (var (count, status) in new[] { (1000, HttpStatusCode.Created), (2000, HttpStatusCode.RequestEntityTooLarge) })
        {
            var parts = Enumerable.Range(0, count).Select(i => part.Replace("{0}", $"{i}", StringComparison.Ordinal));
            var answer = await PostBatchAsync(body.Replace("{0}", string.Join(',', parts), StringComparison.Ordinal));
            Assert.True(answer.StatusCode == status, $"{(int)answer.StatusCode}: {await answer.Content.ReadAsStringAsync()}");
            if (status == HttpStatusCode.Created)
                continue;
            var message = (await BadInputServer.ErrorAsync(answer)).Message;
            Assert.Contains("1,048,576", message, StringComparison.Ordinal);
            Assert.Contains("Limits.MaxBatchSizeInMb", message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("JsonPatch")]
    [InlineData("AttachmentPUT")]
    [InlineData("Counters")]
    public async Task A_command_that_is_not_supported_is_named(string command) =>
        await RequireRefusalAsync(
            await PostBatchAsync($$"""{"Commands":[{"Id":"good/1","Type":"DELETE"},{"Id":"a","Type":"{{command}}"}]}"""),
            HttpStatusCode.NotImplemented,
            "System.NotSupportedException",
            command
        );

    [Fact]
    public async Task Of_duplicate_keys_the_last_wins_and_numbers_keep_their_text()
    {
        Assert.Equal(
            HttpStatusCode.Created,
            (
                await server.PutAsync(
                    "exact/1",
                    """{"a":1,"big":9007199254740993,"huge":123456789012345678901234567890,"price":12.7500,"a":2,"e":1E5}"""
                )
            ).StatusCode
        );
        var text = await DocumentTextAsync("exact/1");
        Assert.Contains("\"big\":9007199254740993", text);
        Assert.Contains("\"huge\":123456789012345678901234567890", text);
        Assert.Contains("\"price\":12.7500", text);
        Assert.Contains("\"e\":1E5", text);
        Assert.Equal(2, JsonDocument.Parse(text).RootElement.GetProperty("a").GetInt32());
    }

    [Fact]
    public async Task A_lone_surrogate_comes_back_as_it_was_sent()
    {
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("lone/1", """{"a":"x\ud800y","\udc00":1}""")).StatusCode);
        Assert.StartsWith("""{"a":"x\ud800y","\udc00":1""", await DocumentTextAsync("lone/1"));
    }

    [Fact]
    public async Task A_query_that_is_none_is_refused_with_the_place()
    {
        async Task<HttpResponseMessage> QueryAsync(string body) =>
            await server.Client.PostAsync($"{server.Database}/queries?queryHash=1", new StringContent(body));
        await RequireRefusalAsync(
            await QueryAsync("""{"Query":"from Goods where"}"""),
            HttpStatusCode.BadRequest,
            "Raven.Client.Exceptions.InvalidQueryException",
            "ine 1"
        );
        await RequireRefusalAsync(
            await QueryAsync("""{"Query":"from Goods limit $a"}"""),
            HttpStatusCode.BadRequest,
            "Raven.Client.Exceptions.InvalidQueryException",
            "$a"
        );
        await RequireRefusalAsync(
            await QueryAsync("""{"Query":"from Goods where fuzzy(name = 'x', 0.5)"}"""),
            HttpStatusCode.NotImplemented,
            "System.NotSupportedException",
            "fuzzy()"
        );
        await RequireRefusalAsync(
            await QueryAsync("""{"Query":"from Goods where startWith(name, 'x')"}"""),
            HttpStatusCode.BadRequest,
            "Raven.Client.Exceptions.InvalidQueryException",
            "did you mean startsWith()?"
        );
        await RequireRefusalAsync(
            await QueryAsync("""{"Query":"from Goods where age between 1 and 'x'"}"""),
            HttpStatusCode.BadRequest,
            "Raven.Client.Exceptions.InvalidQueryException",
            "ine 1"
        );
        await RequireRefusalAsync(await QueryAsync("{}"), HttpStatusCode.BadRequest, "BadRequestException");
    }

    /// <summary>From which each client makes its own exception.</summary>
    [Theory]
    [InlineData("queries?queryHash=1", null)]
    [InlineData("queries?queryHash=1", "7.2.2")]
    [InlineData("streams/queries", null)]
    [InlineData("streams/queries?format=jsonl", "7.2.2")]
    public async Task A_query_of_a_missing_index_is_404_without_a_body(string path, string? version)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, $"{server.Database}/{path}")
        {
            Content = new StringContent("""{"Query":"from index 'X'"}"""),
        };
        if (version is not null)
            request.Headers.Add("Raven-Client-Version", version);
        using var answer = await server.Client.SendAsync(request);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
        Assert.Empty(await answer.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task In_a_multi_get_a_missing_index_is_404_with_a_null_and_an_unknown_route_is_an_error()
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, $"{server.Database}/multi_get")
        {
            Content = new StringContent(
                """
                {"Requests":[
                  {"Url":"/databases/db/queries","Query":"?queryHash=1","Method":"POST","Content":"{\"Query\":\"from index 'X'\"}"},
                  {"Url":"/databases/db/docs","Query":"?id=nothing/1"},
                  {"Url":"/databases/db/of/a/later/version"}]}
                """
            ),
        };
        request.Headers.Add("Raven-Client-Version", "7.2.2");
        using var answer = await server.Client.SendAsync(request);
        var results = (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Results");
        Assert.Equal([404, 404, 501], results.EnumerateArray().Select(result => result.GetProperty("StatusCode").GetInt32()));
        Assert.Equal(JsonValueKind.Null, results[0].GetProperty("Result").ValueKind);
        Assert.EndsWith("RouteNotFoundException", results[2].GetProperty("Result").GetProperty("Type").GetString());
    }

    [Fact]
    public async Task A_body_that_claims_to_be_gzip_and_is_not_is_refused()
    {
        using var content = new StringContent("{}");
        content.Headers.ContentEncoding.Add("gzip");
        await RequireRefusalAsync(
            await server.Client.PutAsync($"{server.Database}/docs?id=x", content),
            HttpStatusCode.BadRequest,
            "BadRequestException"
        );
        using var unknown = new StringContent("{}");
        unknown.Headers.ContentEncoding.Add("br");
        await RequireRefusalAsync(
            await server.Client.PutAsync($"{server.Database}/docs?id=x", unknown),
            HttpStatusCode.UnsupportedMediaType,
            "BadRequestException",
            "'br'"
        );
    }

    [Theory]
    [InlineData("bulk_docs", """{"Commands":[{"Id":"\ud800","Type":"DELETE"}]}""")]
    [InlineData("docs?x", """{"Ids":["\ud800"]}""")]
    [InlineData("queries?queryHash=1", """{"Query":"\ud800"}""")]
    [InlineData("multi_get", """{"Requests":[{"Url":"\ud800"}]}""")]
    public async Task Half_a_character_where_a_text_is_needed_is_refused(string path, string body) =>
        await RequireRefusalAsync(
            await server.Client.PostAsync($"{server.Database}/{path}", new StringContent(body)),
            HttpStatusCode.BadRequest,
            "BadRequestException",
            "surrogate"
        );

    [Theory]
    [InlineData("POST", "bulk_docs", """{"Commands":[{"Id":"?(","Type":"DELETE"}]}""")]
    [InlineData("POST", "bulk_docs", """{"Commands":[{"Type":"BatchPATCH","Patch":{"Script":""},"Ids":[{"Id":"?("}]}]}""")]
    [InlineData("POST", "docs?x", """{"Ids":["?("]}""")]
    [InlineData("POST", "queries?queryHash=1", """{"Query":"?("}""")]
    [InlineData("POST", "multi_get", """{"Requests":[{"Url":"?("}]}""")]
    [InlineData("PATCH", "docs?id=good/1", """{"Patch":{"Script":"","Values":{"?(":1}}}""")]
    [InlineData("PATCH", "queries", """{"Query":{"Query":"from Goods update { }","QueryParameters":{"?(":1}}}""")]
    [InlineData("DELETE", "../../admin/databases", """{"DatabaseNames":["?("]}""")]
    public async Task Bytes_that_are_not_UTF_8_where_a_text_is_needed_are_refused(string method, string path, string body)
    {
        var bytes = Array.ConvertAll(Encoding.UTF8.GetBytes(body), b => b == (byte)'?' ? (byte)0xC3 : b);
        using var request = new HttpRequestMessage(new HttpMethod(method), $"{server.Database}/{path}")
        {
            Content = new ByteArrayContent(bytes),
        };
        await RequireRefusalAsync(await server.Client.SendAsync(request), HttpStatusCode.BadRequest, "BadRequestException", "UTF-8");
    }

    [Fact]
    public async Task A_reference_that_no_id_can_be_is_not_included()
    {
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("half/1", """{"other":"\ud800","good":"good/1"}""")).StatusCode);
        var answer = await server.Client.GetStringAsync($"{server.Database}/docs?id=half/1&include=other&include=good");
        Assert.Contains("\"Includes\":{\"good/1\":{", answer);
    }

    [Fact]
    public async Task A_bulk_insert_of_what_is_not_supported_names_it()
    {
        using var answer = await server.Client.PostAsync(
            $"{server.Database}/bulk_insert",
            new StringContent("""[{"Id":"a","Type":"AttachmentPUT","Name":"x","ContentLength":5}hello,{"Type":"HeartBeat"}]""")
        );
        await RequireRefusalAsync(answer, HttpStatusCode.NotImplemented, "System.NotSupportedException", "AttachmentPUT");
    }

    private static string Nested(int levels)
    {
        var text = new StringBuilder();
        for (var i = 1; i < levels; i++)
            text.Append("{\"a\":");
        return text.Append("{\"b\":1}").Append('}', levels - 1).ToString();
    }

    private static string Large(int bytes) => "{\"text\":\"" + new string('x', bytes) + "\"}";

    private Task<HttpResponseMessage> PostBatchAsync(string body) =>
        server.Client.PostAsync($"{server.Database}/bulk_docs?", new StringContent(body));

    /// <summary>The text of one document as it comes out of <c>{"Results":[…],…}</c>.</summary>
    private async Task<string> DocumentTextAsync(string id)
    {
        var answer = await server.Client.GetStringAsync($"{server.Database}/docs?id={Uri.EscapeDataString(id)}");
        const string Before = "{\"Results\":[";
        return answer[Before.Length..answer.LastIndexOf("],\"Includes\"", StringComparison.Ordinal)];
    }

    private static async Task<string> RequireRefusalAsync(
        HttpResponseMessage answer,
        HttpStatusCode status,
        string type,
        string? named = null
    )
    {
        Assert.True(status == answer.StatusCode, $"{(int)answer.StatusCode}: {await answer.Content.ReadAsStringAsync()}");
        var (actual, message) = await BadInputServer.ErrorAsync(answer);
        Assert.EndsWith(type, actual);
        if (named is not null)
            Assert.Contains(named, message, StringComparison.OrdinalIgnoreCase);
        return message;
    }
}

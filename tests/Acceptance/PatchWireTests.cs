using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Patches and operations by query, as they go over the wire.</summary>
public sealed class PatchWireTests(WireServer server) : IClassFixture<WireServer>
{
    private const string Looping = """{"Patch":{"Script":"for (;;) { }"}}""";

    [Fact]
    public async Task A_patch_answers_with_its_status_and_the_document()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", """{"price":12.7500,"@metadata":{"@collection":"Users"}}""");
        var patched = await database.SendAsync(
            "PATCH",
            "/docs?id=users/1",
            """{"Patch":{"Script":"this.n = args.n; output('seen');","Values":{"n":9007199254740993}},"PatchIfMissing":null}"""
        );
        Assert.Equal(
            (HttpStatusCode.OK, "Patched", "Users"),
            (patched.Status, Text(patched.Json, "Status"), Text(patched.Json, "Collection"))
        );
        Assert.Contains("\"ModifiedDocument\":{\"price\":12.7500,\"n\":9007199254740993,\"@metadata\"", patched.Text);
        Assert.Equal("seen", patched.Json.GetProperty("Debug").GetProperty("Info")[0].GetString());
        Assert.Equal(
            Text((await database.DocumentAsync("users/1")).GetProperty("@metadata"), "@change-vector"),
            Text(patched.Json, "ChangeVector")
        );
        Assert.EndsWith("Z", Text(patched.Json, "LastModified"));
        var same = await database.SendAsync("PATCH", "/docs?id=users/1", """{"Patch":{"Script":"this.price = 12.75"}}""");
        Assert.Equal("NotModified", Text(same.Json, "Status"));
        var missing = await database.SendAsync("PATCH", "/docs?id=users/2", """{"Patch":{"Script":"this.a = 1"}}""");
        Assert.Equal((HttpStatusCode.NotFound, ""), (missing.Status, missing.Text));
        var made = await database.SendAsync(
            "PATCH",
            "/docs?id=users/2",
            """{"Patch":{"Script":"this.a = 1"},"PatchIfMissing":{"Script":"this.b = 1"}}"""
        );
        Assert.Equal("Created", Text(made.Json, "Status"));
    }

    [Fact]
    public async Task If_Match_and_its_skipping_are_honoured_and_a_test_leaves_nothing()
    {
        var database = await server.NewDatabaseAsync();
        var old = await database.PutAsync("users/1", """{"n":1}""");
        var now = await database.PutAsync("users/1", """{"n":2}""");
        const string Body = """{"Patch":{"Script":"this.n++"}}""";
        Assert.Equal(
            HttpStatusCode.Conflict,
            (await database.SendAsync("PATCH", "/docs?id=users/1", Body, ("If-Match", $"\"{old}\""))).Status
        );
        var skipped = await database.SendAsync("PATCH", "/docs?id=users/1&skipPatchIfChangeVectorMismatch=true", Body, ("If-Match", old));
        Assert.Equal((HttpStatusCode.OK, "Skipped"), (skipped.Status, Text(skipped.Json, "Status")));
        var tested = await database.SendAsync("PATCH", "/docs?id=users/1&test=true", Body);
        Assert.Equal(3, tested.Json.GetProperty("ModifiedDocument").GetProperty("n").GetInt32());
        Assert.Equal(2, tested.Json.GetProperty("OriginalDocument").GetProperty("n").GetInt32());
        Assert.Equal(2, (await database.DocumentAsync("users/1")).GetProperty("n").GetInt32());
        Assert.Equal(HttpStatusCode.OK, (await database.SendAsync("PATCH", "/docs?id=users/1", Body, ("If-Match", now))).Status);
    }

    [Theory]
    [InlineData("""{"Patch":{"Script":"this.a = ;"}}""", 500, "Patching.JavaScriptParseException", "line 1, column 10")]
    [InlineData("""{"Patch":{"Script":"\n\nthis.a.b.c = 1"}}""", 500, "Patching.JavaScriptException", "line 3")]
    [InlineData(Looping, 500, "Patching.JavaScriptException", "100 ms")]
    [InlineData("""{"Patch":{"Script":"(function f() { f(); })()"}}""", 500, "Patching.JavaScriptException", "RangeError")]
    [InlineData("""{"Patch":{"Script":"async function f() { }"}}""", 500, "Patching.JavaScriptParseException", "asynchronous")]
    [InlineData("""{"Patch":{"Script":"this.toJSON = () => 5"}}""", 400, "BadRequestException", "must be a JSON object")]
    [InlineData("""{"Patch":{"Script":5}}""", 400, "BadRequestException", "Script")]
    [InlineData("""{"Patch":{"Script":"this.a = 1","Values":[]}}""", 400, "BadRequestException", "Values")]
    [InlineData("""{"Patch":null}""", 400, "BadRequestException", "Patch")]
    [InlineData("""{}""", 400, "BadRequestException", "Patch")]
    [InlineData("""[""", 400, "BadRequestException", "")]
    public async Task A_bad_patch_says_what_is_wrong_and_changes_nothing(string body, int status, string type, string message)
    {
        var database = await server.NewDatabaseAsync();
        var vector = await database.PutAsync("users/1", """{"n":1}""");
        var refused = await database.SendAsync("PATCH", "/docs?id=users/1", body);
        Assert.Equal(status, (int)refused.Status);
        Assert.EndsWith(type, Text(refused.Json, "Type"));
        Assert.Contains(message, Text(refused.Json, "Message"));
        Assert.Equal(vector, Text((await database.DocumentAsync("users/1")).GetProperty("@metadata"), "@change-vector"));
    }

    [Theory]
    [InlineData("PATCH", """{"Query":{"Query":"from Users update { this.x = 1 }","QueryParameters":{"a\ud800":1}}}""")]
    [InlineData("PATCH", """{"Query":{"Query":"from Users where id() = $p update { this.x = 1 }","QueryParameters":{"p":"a\ud800"}}}""")]
    [InlineData("DELETE", """{"Query":"from Users","QueryParameters":{"a\udc00":1}}""")]
    public async Task Half_a_surrogate_pair_among_the_parameters_of_a_query_is_a_bad_request(string method, string body)
    {
        var database = await server.NewDatabaseAsync();
        var answer = await database.SendAsync(method, "/queries", body);
        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("surrogate", Text(answer.Json, "Message"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_batch_with_patches_answers_each_in_its_place()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", """{"n":1}""");
        var answer = await database.SendAsync(
            "POST",
            "/bulk_docs",
            """
            {"Commands":[
              {"Type":"PATCH","Id":"USERS/1","ChangeVector":null,"Patch":{"Script":"this.n += args.by","Values":{"by":4}},"ReturnDocument":true},
              {"Type":"PATCH","Id":"users/2","Patch":{"Script":""},"CreateIfMissing":{"made":1.0}},
              {"Type":"BatchPATCH","Ids":[{"Id":"users/1"},{"Id":"users/2","ChangeVector":null},{"Id":"users/3"}],"Patch":{"Script":"this.all = true"}},
              {"Type":"PUT","Id":"users/4","Document":{}}]}
            """
        );
        Assert.Equal(HttpStatusCode.Created, answer.Status);
        var results = answer.Json.GetProperty("Results");
        Assert.Equal(("PATCH", "users/1", "Patched"), (Text(results[0], "Type"), Text(results[0], "Id"), Text(results[0], "PatchStatus")));
        Assert.Equal(5, results[0].GetProperty("ModifiedDocument").GetProperty("n").GetInt32());
        Assert.Equal("Created", Text(results[1], "PatchStatus"));
        Assert.Equal(
            ["Patched", "Patched", "DocumentDoesNotExist"],
            results[2].GetProperty("Results").EnumerateArray().Select(r => Text(r, "PatchStatus"))
        );
        Assert.Equal("PUT", Text(results[3], "Type"));
        Assert.True((await database.DocumentAsync("users/2")).GetProperty("all").GetBoolean());
    }

    [Fact]
    public async Task An_operation_by_query_tells_its_progress_and_its_result_and_visits_each_document_once()
    {
        var database = await server.NewDatabaseAsync();
        for (int i = 0; i < 50; i++)
            await database.PutAsync($"users/{i}", """{"n":1,"@metadata":{"@collection":"Users"}}""");
        var state = await EndAsync(
            database,
            await database.SendAsync(
                "PATCH",
                "/queries?allowStale=&maxOpsPerSec=",
                """{"Query":{"Query":"from Users update { this.n += $by }","QueryParameters":{"by":2}}}"""
            )
        );
        Assert.Equal("Completed", Text(state, "Status"));
        Assert.Equal(
            (50, 50),
            (
                state.GetProperty("Result").GetProperty("Total").GetInt32(),
                state.GetProperty("Result").GetProperty("DocumentsProcessed").GetInt32()
            )
        );
        Assert.Equal(50, state.GetProperty("Progress").GetProperty("Processed").GetInt32());
        for (int i = 0; i < 50; i++)
            Assert.Equal(3, (await database.DocumentAsync($"users/{i}")).GetProperty("n").GetInt32());
        var faulted = await EndAsync(
            database,
            await database.SendAsync("PATCH", "/queries", """{"Query":{"Query":"from Users update { for (;;) { } }"}}""")
        );
        Assert.Equal("Faulted", Text(faulted, "Status"));
        Assert.EndsWith("JavaScriptException", Text(faulted.GetProperty("Result"), "Type"));
        var deleted = await EndAsync(
            database,
            await database.SendAsync("DELETE", "/queries?allowStale=&details=", """{"Query":"from Users"}""")
        );
        Assert.Equal(50, deleted.GetProperty("Result").GetProperty("Total").GetInt32());
        Assert.Empty((await database.GetAsync("/docs")).Ids);
    }

    [Theory]
    [InlineData("PATCH", """{"Query":{"Query":"from Users"}}""", 400, "update")]
    [InlineData("PATCH", """{"Query":{"Query":"from Users update { this.a = ; }"}}""", 500, "line 1, column 30")]
    [InlineData("PATCH", """{"Query":{"Query":"from index 'X' update { }"}}""", 404, "X")]
    [InlineData("PATCH", """{"Query":5}""", 400, "Query")]
    [InlineData("DELETE", """{"Query":"from Users where"}""", 400, "where")]
    public async Task An_operation_by_query_that_cannot_begin_is_refused_at_once(string method, string body, int status, string message)
    {
        var database = await server.NewDatabaseAsync();
        var refused = await database.SendAsync(method, "/queries", body);
        Assert.Equal(status, (int)refused.Status);
        Assert.Contains(message, Text(refused.Json, "Message"));
    }

    [Fact]
    public async Task Writes_beside_patches_that_loop_are_answered_in_time()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", "{}");
        using var enough = new CancellationTokenSource();
        const int Writes = 50;
        int looped = 0;
        var looping = Task.Run(async () =>
        {
            while (!enough.IsCancellationRequested)
            {
                Assert.Contains("100 ms", (await database.SendAsync("PATCH", "/docs?id=users/1", Looping)).Text);
                Interlocked.Increment(ref looped);
            }
        });
        // Counted in patches: their limit is processor time, which a machine with other work to do takes long to give.
        var waitedFor = new List<int>();
        while (!looping.IsCompleted && (waitedFor.Count < Writes || Volatile.Read(ref looped) <= 3))
        {
            int before = Volatile.Read(ref looped);
            await database.PutAsync($"others/{waitedFor.Count}", "{}");
            waitedFor.Add(Volatile.Read(ref looped) - before);
        }
        await enough.CancelAsync();
        await looping;
        // The one that runs when the write arrives and one that came in before it, and room for answers that were on their way
        // when they were counted.
        int late = waitedFor.Count(patches => patches > 10);
        Assert.True(
            late <= waitedFor.Count / Writes,
            $"{late} of {waitedFor.Count} writes waited for more than ten patches, at most for {waitedFor.Max()}"
        );
    }

    [Fact]
    public async Task Without_the_script_engine_the_server_runs_and_a_patch_names_the_package()
    {
        await using var bare = await ServerUnderTest.StartAsync(
            null,
            ["--RunInMemory=true"],
            new Dictionary<string, string> { ["JACKDAW_JAVASCRIPTCORE"] = "/nonexistent/libjavascriptcore.so" }
        );
        using var client = new HttpClient();
        using var created = await client.PutAsync(
            $"{bare.Url}/admin/databases?name=bare",
            new StringContent("""{"DatabaseName":"bare"}""")
        );
        created.EnsureSuccessStatusCode();
        var database = new WireDatabase(client, bare.Url, "bare");
        await database.PutAsync("users/1", """{"@metadata":{"@collection":"Users"}}""");
        foreach (
            var (method, path, body) in new[]
            {
                ("PATCH", "/docs?id=users/1", """{"Patch":{"Script":"this.a = 1"}}"""),
                ("PATCH", "/queries", """{"Query":{"Query":"from Users update { this.a = 1 }"}}"""),
                ("POST", "/bulk_docs", """{"Commands":[{"Type":"PATCH","Id":"users/1","Patch":{"Script":"this.a = 1"}}]}"""),
            }
        )
        {
            var refused = await database.SendAsync(method, path, body);
            Assert.Equal(HttpStatusCode.NotImplemented, refused.Status);
            Assert.Contains("libjavascriptcoregtk-4.1-0", Text(refused.Json, "Message"));
        }
        var deleted = await EndAsync(database, await database.SendAsync("DELETE", "/queries", """{"Query":"from Users"}"""));
        Assert.Equal("Completed", Text(deleted, "Status"));
    }

    private static string? Text(JsonElement element, string name) => element.GetProperty(name).GetString();

    private static async Task<JsonElement> EndAsync(WireDatabase database, WireAnswer started)
    {
        Assert.Equal(HttpStatusCode.OK, started.Status);
        var id = started.Json.GetProperty("OperationId").GetInt64();
        Assert.Equal("A", Text(started.Json, "OperationNodeTag"));
        for (var began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < Eventually.Patience; await Task.Delay(20))
        {
            var state = (await database.GetAsync($"/operations/state?id={id}")).Json;
            if (Text(state, "Status") != "InProgress")
                return state;
        }
        throw new TimeoutException($"Operation {id} did not end.");
    }
}

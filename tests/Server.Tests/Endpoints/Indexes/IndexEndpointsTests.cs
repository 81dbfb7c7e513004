using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Databases;
using Jackdaw.Server.Metrics;
using Jackdaw.Server.Tests.Serving;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Tests.Endpoints.Indexes;

/// <summary>Maintenance of indexes over HTTP.</summary>
public sealed class IndexEndpointsTests : IAsyncLifetime
{
    private const string Name = "Auto/Users/Byage";

    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await PutAsync(1, 100);
        await MakeAsync("age");
    }

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    private DatabaseIndexes Indexes => _scene.Database.Attached<DatabaseIndexes>()!;

    [Fact]
    public async Task An_index_is_listed_with_its_definition_and_one_that_is_not_there_is_404()
    {
        await MakeAsync("name", "Orders");
        var all = await GetAsync("/indexes", "?start=0&pageSize=10");
        var names = await GetAsync("/indexes", "?start=1&pageSize=1&namesOnly=true");
        var one = await GetAsync("/indexes", "?name=auto%2Fusers%2Fbyage");
        var missing = await _scene.SendAsync("GET", "/indexes", "?name=none");

        Assert.Equal(2, all.GetProperty("Results").GetArrayLength());
        Assert.Equal(Name, names.GetProperty("Results")[0].GetString());
        var definition = one.GetProperty("Results")[0];
        Assert.Equal(Name, definition.GetProperty("Name").GetString());
        Assert.Equal("AutoMap", definition.GetProperty("Type").GetString());
        Assert.Equal("from Users select age", definition.GetProperty("Maps")[0].GetString());
        Assert.Equal("Default", definition.GetProperty("Fields").GetProperty("age").GetProperty("Indexing").GetString());
        Assert.Equal((404, ""), (missing.Status, missing.Text));
    }

    [Fact]
    public async Task Statistics_tell_what_was_indexed_and_what_waits()
    {
        Indexes.Pause(Name);
        await PutAsync(101, 30);
        await _scene.DeleteAsync("users/1");
        var stats = (await GetAsync("/indexes/stats", $"?name={Name}")).GetProperty("Results")[0];
        var users = stats.GetProperty("Collections").GetProperty("Users");
        Assert.Equal(100, stats.GetProperty("EntriesCount").GetInt64());
        Assert.Equal(100, stats.GetProperty("MapSuccesses").GetInt64());
        Assert.Equal("Paused", stats.GetProperty("Status").GetString());
        Assert.Equal("Lucene", stats.GetProperty("SearchEngineType").GetString());
        Assert.True(stats.GetProperty("IsStale").GetBoolean());
        Assert.Equal(30, users.GetProperty("DocumentLag").GetInt64());
        Assert.Equal(1, users.GetProperty("TombstoneLag").GetInt64());
        Assert.Equal(100, users.GetProperty("LastProcessedDocumentEtag").GetInt64());

        var staleness = await GetAsync("/indexes/staleness", $"?name={Name}");
        Assert.True(staleness.GetProperty("IsStale").GetBoolean());
        Assert.Contains("30 documents of 'Users'", staleness.GetProperty("StalenessReasons").ToString(), StringComparison.Ordinal);
        var progress = (await GetAsync("/indexes/progress")).GetProperty("Results")[0].GetProperty("Collections").GetProperty("Users");
        Assert.Equal(30, progress.GetProperty("NumberOfItemsToProcess").GetInt64());
        Assert.Equal(129, progress.GetProperty("TotalNumberOfItems").GetInt64());

        Indexes.Resume(Name);
        await FreshAsync();
        var performance = (await GetAsync("/indexes/performance")).GetProperty("Results")[0].GetProperty("Performance");
        Assert.Equal(130, performance.EnumerateArray().Sum(batch => batch.GetProperty("SuccessCount").GetInt32()));
        Assert.False((await GetAsync("/indexes/staleness", $"?name={Name}")).GetProperty("IsStale").GetBoolean());
    }

    [Fact]
    public async Task The_database_s_statistics_tell_which_indexes_are_stale()
    {
        var stats = await GetAsync("/stats");
        Assert.Equal(1, stats.GetProperty("CountOfIndexes").GetInt32());
        Assert.False(stats.GetProperty("Indexes")[0].GetProperty("IsStale").GetBoolean());
        Assert.NotNull(stats.GetProperty("LastIndexingTime").GetString());
        Indexes.Pause();
        await PutAsync(101, 1);
        stats = await GetAsync("/stats");
        Assert.True(stats.GetProperty("Indexes")[0].GetProperty("IsStale").GetBoolean());
        Assert.Equal([Name], stats.GetProperty("StaleIndexes").EnumerateArray().Select(name => name.GetString()));
        Assert.Equal(1, (await GetAsync("/stats/essential")).GetProperty("CountOfIndexes").GetInt32());
    }

    [Fact]
    public async Task Terms_come_in_their_order_from_the_one_after_the_given_one()
    {
        var terms = await GetAsync("/indexes/terms", $"?name={Name}&field=age&fromValue=&pageSize=3");
        Assert.Equal(["1", "2", "3"], terms.GetProperty("Terms").EnumerateArray().Select(term => term.GetString()));
        Assert.Equal(Name, terms.GetProperty("IndexName").GetString());
        terms = await GetAsync("/indexes/terms", $"?name={Name}&field=age&fromValue=98&pageSize=");
        Assert.Equal(["99", "100"], terms.GetProperty("Terms").EnumerateArray().Select(term => term.GetString()));
        Assert.Empty((await GetAsync("/indexes/terms", $"?name={Name}&field=none")).GetProperty("Terms").EnumerateArray());
    }

    [Fact]
    public async Task Operators_pause_disable_and_go_on()
    {
        await DoAsync("POST", "/admin/indexes/stop", "?name=AUTO%2FUSERS%2FBYAGE");
        Assert.Equal("Paused", await StatusAsync());
        await DoAsync("POST", "/admin/indexes/start", $"?name={Name}");
        Assert.Equal("Running", await StatusAsync());
        await DoAsync("POST", "/admin/indexes/stop");
        Assert.Equal("Paused", (await GetAsync("/indexes/status")).GetProperty("Status").GetString());
        await DoAsync("POST", "/admin/indexes/start");
        await DoAsync("POST", "/admin/indexes/disable", $"?name={Name}&clusterWide=false");
        Assert.Equal("Disabled", await StatusAsync());
        await DoAsync("POST", "/admin/indexes/enable", $"?name={Name}&clusterWide=false");
        Assert.Equal("Running", await StatusAsync());
    }

    [Fact]
    public async Task Priorities_and_locks_are_set_of_all_or_of_none()
    {
        await MakeAsync("name", "Orders");
        await DoAsync("POST", "/indexes/set-priority", body: $$"""{"IndexNames":["{{Name}}","Auto/Orders/Byname"],"Priority":"High"}""");
        await DoAsync("POST", "/indexes/set-lock", body: $$"""{"IndexNames":["{{Name}}"],"Mode":"LockedError"}""");
        await RefusedAsync(
            400,
            "no index 'none'",
            "POST",
            "/indexes/set-priority",
            body: $$"""{"IndexNames":["{{Name}}","none"],"Priority":"Low"}"""
        );
        await RefusedAsync(
            400,
            "must be one of Low, Normal, High",
            "POST",
            "/indexes/set-priority",
            body: """{"IndexNames":["a"],"Priority":"Urgent"}"""
        );
        await RefusedAsync(400, "names no indexes", "POST", "/indexes/set-lock", body: """{"Mode":"Unlock"}""");
        await RefusedAsync(400, "has no Mode", "POST", "/indexes/set-lock", body: $$"""{"IndexNames":["{{Name}}"]}""");

        var stats = (await GetAsync("/indexes/stats")).GetProperty("Results");
        Assert.Equal(["High", "High"], stats.EnumerateArray().Select(index => index.GetProperty("Priority").GetString()));
        Assert.Equal(["Unlock", "LockedError"], stats.EnumerateArray().Select(index => index.GetProperty("LockMode").GetString()));
    }

    [Fact]
    public async Task A_reset_builds_an_index_again_and_a_deletion_ends_it()
    {
        var instance = Indexes.Find(Name)!.InstanceId;
        var reset = await _scene.SendAsync("RESET", "/indexes", $"?name={Name}");
        Assert.Equal((200, $$"""{"Index":"{{Name}}"}"""), (reset.Status, reset.Text));
        await FreshAsync();
        Assert.NotEqual(instance, Indexes.Find(Name)!.InstanceId);
        await DoAsync("DELETE", "/indexes", $"?name={Name}");
        Assert.Equal(404, (await _scene.SendAsync("DELETE", "/indexes", $"?name={Name}")).Status);
        Assert.Empty((await GetAsync("/indexes")).GetProperty("Results").EnumerateArray());
    }

    [Fact]
    public async Task Errors_are_told_by_index_and_forgotten_when_asked()
    {
        Indexes.Find(Name)!.RecordError("Rebuild", "a message");
        var errors = (await GetAsync("/indexes/errors", $"?&name={Name}")).GetProperty("Results")[0].GetProperty("Errors")[0];
        Assert.Equal("a message", errors.GetProperty("Error").GetString());
        Assert.Equal("Rebuild", errors.GetProperty("Action").GetString());
        Assert.Null(errors.GetProperty("Document").GetString());
        Assert.Matches(@"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$", errors.GetProperty("Timestamp").GetString());
        await DoAsync("DELETE", "/indexes/errors");
        Assert.Empty((await GetAsync("/indexes/errors")).GetProperty("Results")[0].GetProperty("Errors").EnumerateArray());
    }

    [Theory]
    [InlineData("""{"Indexes":[{"Name":"A","Maps":["map('Users', u => ({ n: u.n }))"]}]}""", 501, "index definitions in JavaScript ('A')")]
    [InlineData("""{"Indexes":[{"Name":"A","Maps":["from u in docs.Users select new { u.N }"]}]}""", 501, "index definitions in C# ('A')")]
    [InlineData(
        """{"Indexes":[{"Name":"A","Maps":["docs.Users"],"Reduce":"from r in results"}]}""",
        501,
        "in C# with a reduction (map-reduce)"
    )]
    [InlineData("""{"Indexes":[]}""", 400, "an array of definitions")]
    [InlineData("""{"Indexes":[{"Maps":["x"]}]}""", 400, "must have a Name")]
    [InlineData("""{"Indexes":[{"Name":"A","Maps":[]}]}""", 400, "'A' must have Maps")]
    public async Task Definitions_of_one_s_own_are_refused_by_what_they_are(string body, int status, string message)
    {
        await RefusedAsync(status, message, "PUT", "/indexes", body: body);
        await RefusedAsync(status, message, "PUT", "/admin/indexes", body: body);
    }

    [Fact]
    public async Task A_definition_has_changed_unless_it_is_what_the_index_is()
    {
        var same = await PostAsync("/indexes/has-changed", $$"""{"Name":"{{Name}}","Maps":["from Users select age"]}""");
        var other = await PostAsync("/indexes/has-changed", $$"""{"Name":"{{Name}}","Maps":["from Users select name"]}""");
        var missing = await PostAsync("/indexes/has-changed", """{"Name":"none","Maps":["from Users select age"]}""");
        Assert.Equal([false, true, true], new[] { same, other, missing }.Select(answer => answer.GetProperty("Changed").GetBoolean()));
    }

    [Theory]
    [InlineData("RESET", "/indexes")]
    [InlineData("GET", "/indexes/stats")]
    [InlineData("GET", "/indexes/staleness")]
    [InlineData("GET", "/indexes/errors")]
    [InlineData("DELETE", "/indexes/errors")]
    [InlineData("GET", "/indexes/terms", "&field=age")]
    [InlineData("POST", "/admin/indexes/stop")]
    [InlineData("POST", "/admin/indexes/start")]
    [InlineData("POST", "/admin/indexes/enable")]
    [InlineData("POST", "/admin/indexes/disable")]
    public async Task A_name_that_no_index_has_is_an_error_that_clients_report(string method, string path, string more = "")
    {
        await RefusedAsync(400, "There is no index 'none' in the database 'db'.", method, path, "?name=none" + more);
    }

    [Fact]
    public async Task An_index_in_error_and_one_that_was_built_again_are_alerts_with_the_reason_and_advice()
    {
        Assert.Empty((await GetAsync("/alerts")).GetProperty("Alerts").EnumerateArray());
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-index", Name);
        Indexes.BeginRebuild(Indexes.Find(Name)!, "its folder is damaged");
        await Eventually.IsAsync(() => Indexes.Findings.Count == 1);
        await FreshAsync();
        await Eventually.IsAsync(() =>
        {
            // It does not begin while the one before has not ended.
            Indexes.BeginError(Indexes.Find(Name)!, "too many documents failed");
            return Indexes.Find(Name)!.State == IndexState.Error;
        });
        while (await NextAsync(client) != $"IndexMarkedAsErrored {Name}") { }
        var alerts = (await GetAsync("/alerts")).GetProperty("Alerts").EnumerateArray().ToList();

        Assert.All(alerts, alert => Assert.Equal($"index/{Name}", alert.GetProperty("Source").GetString()));
        Assert.Contains(alerts, alert => Text(alert).Contains("its folder is damaged", StringComparison.Ordinal));
        var error = alerts.Single(alert => alert.GetProperty("Severity").GetString() == "Error");
        Assert.Contains("is in error", Text(error), StringComparison.Ordinal);
        Assert.Contains("too many documents failed", Text(error), StringComparison.Ordinal);
        Assert.Contains("/admin/indexes/enable", Text(error), StringComparison.Ordinal);

        static string Text(JsonElement alert) =>
            $"{alert.GetProperty("Title")} {alert.GetProperty("Message")} {alert.GetProperty("Advice")}";
    }

    [Fact]
    public async Task As_many_automatic_indexes_as_there_may_be_are_an_alert_that_names_the_limit()
    {
        for (var i = 0; i < 63; i++)
            await Indexes.EnsureAutomaticAsync(new AutoIndexDefinition($"Collection{i}", [new AutoIndexField("age")]), default);
        var alerts = (await GetAsync("/alerts")).GetProperty("Alerts").EnumerateArray();

        var limit = alerts.Single(alert => alert.GetProperty("Source").GetString() == "indexes");
        Assert.Contains("Limits.MaxAutoIndexes", limit.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metrics_tell_what_each_index_has_done_and_how_far_it_is_behind()
    {
        using var metrics = new IndexMetrics(_scene.State.Databases);
        Indexes.Pause(Name);
        await PutAsync(101, 7);
        var text = PrometheusText.Collect("Jackdaw.Indexing");

        var labels = $"{{database=\"db\",index=\"{Name}\"}}";
        Assert.Contains($"jackdaw_index_documents_total{labels} 100\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_index_lag_etags{labels} 7\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_index_up{labels} 0\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_index_failures_total{labels} 0\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_record_shows_the_automatic_indexes_and_may_come_back_with_them()
    {
        var record = Encoding.UTF8.GetString(WriteRecord(_scene.State.Databases.Record("db")! with { Json = "{}"u8.ToArray() }, Indexes));
        var automatic = JsonDocument.Parse(record).RootElement.GetProperty("AutoIndexes").GetProperty(Name);

        Assert.Equal("Users", automatic.GetProperty("Collection").GetString());
        Assert.Equal("age", automatic.GetProperty("MapFields").GetProperty("age").GetProperty("Name").GetString());
        Assert.Equal("db", DatabaseRecordJson.Read(Encoding.UTF8.GetBytes(record), "A").Name);
    }

    [Fact]
    public async Task The_search_engine_of_the_database_s_settings_is_told_with_the_index()
    {
        var settings = """{"Settings":{"Indexing.Auto.SearchEngineType":"Corax","Indexing.Static.SearchEngineType":"Lucene"}}""";
        await _scene.State.Databases.UpdateRecordAsync("db", Encoding.UTF8.GetBytes(settings), expectedEtag: null);
        var stats = (await GetAsync("/indexes/stats")).GetProperty("Results")[0];

        Assert.Equal("Corax", stats.GetProperty("SearchEngineType").GetString());
    }

    [Fact]
    public async Task What_happens_to_an_index_is_told_on_sockets()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-indexes");
        await Indexes.SetDisabledAsync(Name, true);
        Assert.Equal($"IndexDemotedToDisabled {Name}", await NextAsync(client));
        await Indexes.SetDisabledAsync(Name, false);
        Assert.Equal($"IndexPromotedFromIdle {Name}", await NextAsync(client));
        await PutAsync(200, 1);
        Assert.Equal($"BatchCompleted {Name}", await NextAsync(client));
        Indexes.Pause(Name);
        Assert.Equal($"IndexPaused {Name}", await NextAsync(client));
        await Indexes.SetPriorityAsync([Name], IndexPriority.Low);
        Assert.Equal($"PriorityChanged {Name}", await NextAsync(client));
        await Indexes.SetLockModeAsync([Name], IndexLockMode.LockedIgnore);
        Assert.Equal($"LockModeChanged {Name}", await NextAsync(client));
        await Indexes.DeleteAsync(Name);
        Assert.Equal($"IndexRemoved {Name}", await NextAsync(client));
        await MakeAsync("age");
        Assert.Equal($"IndexAdded {Name}", await NextAsync(client));
    }

    private static byte[] WriteRecord(DatabaseRecord record, DatabaseIndexes indexes)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
            DatabaseRecordJson.Write(json, record, "A", database: null, tasks: null, indexes);
        return bytes.ToArray();
    }

    private static async Task<string> NextAsync(SocketClient client)
    {
        var change = await client.NextAsync("IndexChange");
        return $"{change.GetProperty("Type").GetString()} {change.GetProperty("Name").GetString()}";
    }

    private async Task<Index> MakeAsync(string field, string collection = "Users")
    {
        var index = await Indexes.EnsureAutomaticAsync(new AutoIndexDefinition(collection, [new AutoIndexField(field)]), default);
        Assert.True(await index.WaitForAsync(_scene.Database.LastDurableEtag, Eventually.Patience, default));
        return index;
    }

    private Task FreshAsync() => Eventually.IsAsync(async () => !await Indexes.Find(Name)!.IsStaleAsync(CancellationToken.None));

    private Task PutAsync(int first, int count) =>
        _scene.PutAsync(
            Enumerable.Range(first, count).Select(i => ($"users/{i}", $$$"""{"age":{{{i}}},"@metadata":{"@collection":"Users"}}"""))
        );

    private async Task<string?> StatusAsync() =>
        (await GetAsync("/indexes/status")).GetProperty("Indexes")[0].GetProperty("Status").GetString();

    private async Task<JsonElement> GetAsync(string path, string query = "")
    {
        var answer = await _scene.SendAsync("GET", path, query);
        Assert.True(answer.Status == 200, $"{answer.Status} {answer.Text}");
        return JsonDocument.Parse(answer.Text).RootElement;
    }

    private async Task<JsonElement> PostAsync(string path, string body)
    {
        var answer = await _scene.SendAsync("POST", path, body: body);
        Assert.True(answer.Status == 200, $"{answer.Status} {answer.Text}");
        return JsonDocument.Parse(answer.Text).RootElement;
    }

    private async Task DoAsync(string method, string path, string query = "", string body = "")
    {
        var answer = await _scene.SendAsync(method, path, query, body);
        Assert.True(answer.Status == 204, $"{answer.Status} {answer.Text}");
    }

    private async Task RefusedAsync(int status, string message, string method, string path, string query = "", string body = "")
    {
        var headers = new Dictionary<string, string> { ["Raven-Client-Version"] = "7.2.2" };
        var answer = await _scene.SendAsync(method, path, query, body, headers: headers);
        Assert.True(answer.Status == status, $"{answer.Status} {answer.Text}");
        Assert.Contains(message, JsonDocument.Parse(answer.Text).RootElement.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }
}

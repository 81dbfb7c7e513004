using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Tasks over plain HTTP, with a real endpoint at the other end.</summary>
public sealed class EtlWireTests(WireServer server) : IClassFixture<WireServer>
{
    internal const string Script = "if (this.bad === 'script') throw new Error('no'); loadToOrders({ n: this.n, bad: this.bad });";

    internal static string Connection(string url) =>
        $$$"""{"Type":"Queue","Name":"Hook","BrokerType":"None","WebhookConnectionSettings":{"Url":"{{{url}}}","TimeoutInSec":120,"Secret":"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}}""";

    internal static string Definition(string members = "") =>
        $$"""{"EtlType":"Queue","BrokerType":"None","Name":"Orders out","ConnectionStringName":"Hook",{{members}}"Transforms":[{"Name":"All","Collections":["Orders"],"Script":"{{Script}}"}]}""";

    internal static async Task<long> StartTaskAsync(WireDatabase database, string url, string members = "")
    {
        Assert.Equal(HttpStatusCode.OK, (await database.SendAsync("PUT", "/admin/connection-strings", Connection(url))).Status);
        var answer = await database.SendAsync("PUT", "/admin/etl", Definition(members));
        Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
        return answer.Json.GetProperty("TaskId").GetInt64();
    }

    internal static Task PutOrderAsync(WireDatabase database, int n, string bad = "") =>
        database.PutAsync($"orders/{n}", $$$"""{"n":{{{n}}},"bad":"{{{bad}}}","@metadata":{"@collection":"Orders"}}""");

    internal static Task UntilAsync(Func<Task<bool>> condition, Func<string> what) => UntilAsync(condition, () => Task.FromResult(what()));

    internal static async Task UntilAsync(Func<Task<bool>> condition, Func<Task<string>> what)
    {
        for (var began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < Eventually.Patience; await Task.Delay(50))
        {
            if (await condition())
                return;
        }
        Assert.Fail(await what());
    }

    private static async Task<JsonElement> StatusAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0];

    [Fact]
    public async Task A_task_that_is_put_sends_every_document_and_tells_how_far_it_is()
    {
        await using var receiver = new WebhookReceiver(e => e.GetProperty("data").GetProperty("bad").GetString() == "endpoint" ? 422 : 200);
        var database = await server.NewDatabaseAsync();
        await PutOrderAsync(database, 1);
        var id = await StartTaskAsync(database, receiver.Url);
        await PutOrderAsync(database, 2, bad: "endpoint");
        await PutOrderAsync(database, 3, bad: "script");
        await PutOrderAsync(database, 4);
        await UntilAsync(
            () => Task.FromResult(receiver.Subjects().SetEquals(["orders/1", "orders/4"])),
            () => string.Join(",", receiver.Subjects())
        );
        await UntilAsync(
            async () => (await StatusAsync(database)).GetProperty("State").GetString() == "Idle",
            () => "The task does not come to rest."
        );
        var status = await StatusAsync(database);
        Assert.Equal(
            (2, 2, 0),
            (
                status.GetProperty("Messages").GetInt32(),
                status.GetProperty("DeadLetters").GetInt32(),
                status.GetProperty("Transforms")[0].GetProperty("DocumentsBehind").GetInt32()
            )
        );

        var task = (await database.GetAsync($"/task?key={id}&type=QueueEtl")).Json;
        Assert.Equal(
            ("Orders out", "Enabled", "Active", "Hook"),
            (
                task.GetProperty("TaskName").GetString(),
                task.GetProperty("TaskState").GetString(),
                task.GetProperty("TaskConnectionStatus").GetString(),
                task.GetProperty("ConnectionStringName").GetString()
            )
        );
        Assert.Equal(Script, task.GetProperty("Configuration").GetProperty("Transforms")[0].GetProperty("Script").GetString());
        Assert.Equal(HttpStatusCode.NotFound, (await database.GetAsync("/task?key=999&type=QueueEtl")).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await database.GetAsync($"/task?key={id}&type=SqlEtl")).Status);
    }

    [Theory]
    [InlineData("PUT", "/admin/etl", """{"EtlType":"Sql","Name":"S","ConnectionStringName":"x","Transforms":[]}""", "Sql")]
    [InlineData("PUT", "/admin/etl", """{"EtlType":"Raven","Name":"S","ConnectionStringName":"x","Transforms":[]}""", "Raven")]
    [InlineData("PUT", "/admin/connection-strings", """{"Type":"Sql","Name":"S","ConnectionString":"x","FactoryName":"y"}""", "Sql")]
    [InlineData("PUT", "/admin/connection-strings", """{"Type":"Raven","Name":"S","Database":"x"}""", "Raven")]
    public async Task Kinds_of_tasks_and_connection_strings_that_are_not_there_yet_are_answered_501(
        string method,
        string path,
        string body,
        string kind
    )
    {
        var database = await server.NewDatabaseAsync();
        var answer = await database.SendAsync(method, path, body);
        Assert.Equal(HttpStatusCode.NotImplemented, answer.Status);
        Assert.Contains($"'{kind}'", answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_string_that_leads_nowhere_is_stored_with_a_warning_in_the_answer()
    {
        const string Nowhere =
            """{"Type":"Queue","Name":"R","BrokerType":"RabbitMq","RabbitMqConnectionSettings":{"ConnectionString":"hush://h"}}""";
        var database = await server.NewDatabaseAsync();
        foreach (string path in new[] { "/admin/connection-strings", "/etl/connections" })
        {
            var answer = await database.SendAsync("PUT", path, Nowhere);
            Assert.Equal(HttpStatusCode.OK, answer.Status);
            Assert.Contains("amqp[s]://", answer.Json.GetProperty("Warning").GetString(), StringComparison.Ordinal);
        }
        // One that may lead somewhere gets none.
        var good = await database.SendAsync("PUT", "/admin/connection-strings", Connection("http://127.0.0.1:1/"));
        Assert.False(good.Json.TryGetProperty("Warning", out _));
    }

    [Fact]
    public async Task Trials_beyond_a_few_at_once_are_refused_and_requests_go_on_meanwhile()
    {
        var database = await server.NewDatabaseAsync();
        await PutOrderAsync(database, 1);
        const string Slow =
            """{"Script":"/^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'); loadToA({});","Collections":["Orders"]}""";
        var trials = Enumerable.Range(0, 12).Select(_ => database.SendAsync("POST", "/etl/test", Slow)).ToArray();
        Assert.Equal(HttpStatusCode.OK, (await database.GetAsync("/stats")).Status);
        var answers = await Task.WhenAll(trials);
        Assert.Contains(HttpStatusCode.ServiceUnavailable, answers.Select(answer => answer.Status));
        Assert.All(answers, answer => Assert.True(answer.Status is HttpStatusCode.OK or HttpStatusCode.ServiceUnavailable, answer.Text));
        Assert.Contains(HttpStatusCode.OK, answers.Select(answer => answer.Status));
        // It is over, and there is room again.
        Assert.Equal(HttpStatusCode.OK, (await database.SendAsync("POST", "/etl/test", Slow)).Status);
    }

    [Fact]
    public async Task A_task_is_disabled_enabled_reset_and_deleted()
    {
        await using var receiver = new WebhookReceiver();
        var database = await server.NewDatabaseAsync();
        var id = await StartTaskAsync(database, receiver.Url);
        await PutOrderAsync(database, 1);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 1), () => "The first document does not arrive.");
        Assert.Equal(
            id,
            (await database.SendAsync("POST", $"/admin/tasks/state?key={id}&type=QueueEtl&disable=true"))
                .Json.GetProperty("TaskId")
                .GetInt64()
        );
        await PutOrderAsync(database, 2);
        Assert.Equal("Disabled", (await StatusAsync(database)).GetProperty("State").GetString());
        await database.SendAsync("POST", $"/admin/tasks/state?key={id}&type=QueueEtl&disable=false");
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 2), () => "The second document does not arrive.");
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await database.SendAsync("RESET", "/admin/etl?configurationName=orders%20out&transformationName=all", "{}")).Status
        );
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 4), () => "Nothing comes again after a reset.");
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await database.SendAsync("DELETE", "/admin/connection-strings?connectionString=Hook&type=Queue")).Status
        );
        Assert.Equal(HttpStatusCode.OK, (await database.SendAsync("DELETE", $"/admin/tasks?id={id}&type=QueueEtl")).Status);
        Assert.Equal(
            HttpStatusCode.OK,
            (await database.SendAsync("DELETE", "/admin/connection-strings?connectionString=Hook&type=Queue")).Status
        );
        Assert.Equal(0, (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks").GetArrayLength());
    }

    [Fact]
    public async Task A_webhook_is_put_shown_in_full_and_written_back_on_the_servers_own_routes()
    {
        await using var receiver = new WebhookReceiver();
        var database = await server.NewDatabaseAsync();
        const string Secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        Assert.Equal(
            HttpStatusCode.NoContent,
            (
                await database.SendAsync(
                    "PUT",
                    "/etl/connections",
                    $$$"""{"Name":"Hook","Sink":"webhook","WebhookConnectionSettings":{"Url":"{{{receiver.Url}}}","Secret":"{{{Secret}}}"}}"""
                )
            ).Status
        );
        Assert.Contains(
            "no sink 'Pigeon'",
            (await database.SendAsync("PUT", "/etl/connections", """{"Name":"P","Sink":"Pigeon"}""")).Text,
            StringComparison.Ordinal
        );
        var put = await database.SendAsync(
            "PUT",
            "/etl/tasks",
            $$"""{"Name":"Orders out","Sink":"Webhook","ConnectionStringName":"hook","Transforms":[{"Name":"All","Collections":["Orders"],"Script":"{{Script}}"}]}"""
        );
        Assert.True(put.Status == HttpStatusCode.OK, put.Text);
        var id = put.Json.GetProperty("TaskId").GetInt64();
        await PutOrderAsync(database, 1);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 1), () => "The document does not arrive.");
        // Two answers are compared: the task is at its rest in both.
        await UntilAsync(
            async () => (await StatusAsync(database)).GetProperty("State").GetString() == "Idle",
            () => "The task does not come to rest."
        );

        var answer = await database.GetAsync("/etl/tasks");
        Assert.DoesNotContain(Secret[6..], answer.Text, StringComparison.Ordinal);
        var task = Assert.Single(answer.Json.GetProperty("Tasks").EnumerateArray());
        Assert.Equal(
            (id, "Orders out", "Webhook", false),
            (
                task.GetProperty("TaskId").GetInt64(),
                task.GetProperty("TaskName").GetString(),
                task.GetProperty("Sink").GetString(),
                task.GetProperty("Disabled").GetBoolean()
            )
        );
        Assert.Equal(
            (receiver.Url, "******"),
            (
                task.GetProperty("Connection").GetProperty("WebhookConnectionSettings").GetProperty("Url").GetString(),
                task.GetProperty("Connection").GetProperty("WebhookConnectionSettings").GetProperty("Secret").GetString()
            )
        );
        Assert.Equal(task.GetRawText(), (await database.GetAsync($"/etl/tasks?id={id}")).Json.GetProperty("Tasks")[0].GetRawText());
        Assert.Equal(HttpStatusCode.BadRequest, (await database.GetAsync("/etl/tasks?id=99")).Status);

        // What was read may be written back: nothing changes, the secret neither.
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await database.SendAsync("PUT", "/etl/connections", task.GetProperty("Connection").GetRawText())).Status
        );
        Assert.Equal(
            HttpStatusCode.OK,
            (await database.SendAsync("PUT", $"/etl/tasks?id={id}", task.GetProperty("Configuration").GetRawText())).Status
        );
        await PutOrderAsync(database, 2);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 2), () => "The second document does not arrive.");
        Assert.Equal("None", (await database.GetAsync($"/task?key={id}&type=QueueEtl")).Json.GetProperty("BrokerType").GetString());
        Assert.Equal(
            "Hook",
            Assert
                .Single((await database.GetAsync("/etl/connections?name=HOOK")).Json.GetProperty("Connections").EnumerateArray())
                .GetProperty("Name")
                .GetString()
        );

        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("DELETE", "/etl/connections?name=hook")).Status);
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("DELETE", $"/etl/tasks?id={id}")).Status);
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("DELETE", "/etl/connections?name=hook")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.GetAsync("/etl/connections?name=hook")).Status);
    }

    [Fact]
    public async Task A_member_that_is_null_where_the_sink_would_stand_is_shown_as_none()
    {
        var database = await server.NewDatabaseAsync();
        Assert.Equal(
            HttpStatusCode.NoContent,
            (
                await database.SendAsync(
                    "PUT",
                    "/etl/connections",
                    """{"Name":"Hook","Type":"Queue","brokerType":"None","sink":null,"WebhookConnectionSettings":{"Url":"http://127.0.0.1:9/"}}"""
                )
            ).Status
        );
        var put = await database.SendAsync(
            "PUT",
            "/etl/tasks",
            $$"""{"Name":"Orders out","etlType":"Queue","brokerType":"None","sink":null,"Disabled":true,"ConnectionStringName":"Hook","Transforms":[{"Name":"All","Collections":["Orders"],"Script":"{{Script}}"}]}"""
        );
        Assert.True(put.Status == HttpStatusCode.OK, put.Text);
        Assert.Equal(
            "Webhook",
            Assert
                .Single((await database.GetAsync("/etl/connections")).Json.GetProperty("Connections").EnumerateArray())
                .GetProperty("Sink")
                .GetString()
        );
        var task = Assert.Single((await database.GetAsync("/etl/tasks")).Json.GetProperty("Tasks").EnumerateArray());
        Assert.Equal("Webhook", task.GetProperty("Configuration").GetProperty("Sink").GetString());
        var back = await database.SendAsync(
            "PUT",
            $"/etl/tasks?id={task.GetProperty("TaskId").GetInt64()}",
            task.GetProperty("Configuration").GetRawText()
        );
        Assert.True(back.Status == HttpStatusCode.OK, back.Text);
    }

    [Fact]
    public async Task Without_the_script_engine_a_task_is_refused_and_a_stored_one_waits_for_the_package()
    {
        await using var receiver = new WebhookReceiver();
        var folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        WireDatabase Of(ServerUnderTest started) => new(server.Client, started.Url, "shop");
        await using (var whole = await ServerUnderTest.StartAsync(folder, []))
        {
            using var created = await server.Client.PutAsync(
                $"{whole.Url}/admin/databases?name=shop",
                new StringContent("""{"DatabaseName":"shop"}""")
            );
            created.EnsureSuccessStatusCode();
            await StartTaskAsync(Of(whole), receiver.Url);
            Assert.Equal(0, await whole.StopAsync());
        }
        await using (
            var bare = await ServerUnderTest.StartAsync(
                folder,
                [],
                new Dictionary<string, string> { ["JACKDAW_JAVASCRIPTCORE"] = "/nonexistent/libjavascriptcore.so" }
            )
        )
        {
            var database = Of(bare);
            await PutOrderAsync(database, 1);
            await UntilAsync(
                async () => (await StatusAsync(database)).GetProperty("State").GetString() == "Stopped",
                () => "The task does not stop."
            );
            Assert.Contains(
                "libjavascriptcoregtk-4.1-0",
                (await StatusAsync(database)).GetProperty("Reason").GetString(),
                StringComparison.Ordinal
            );
            foreach (
                var (method, path, body) in new[]
                {
                    ("PUT", "/admin/etl", Definition().Replace("Orders out", "Another", StringComparison.Ordinal)),
                    ("PUT", "/admin/etl?id=1", Definition()),
                    ("PUT", "/etl/tasks", Definition().Replace("Orders out", "Another", StringComparison.Ordinal)),
                    ("POST", "/etl/test", """{"Script":"loadToX(this)","DocumentId":"orders/1"}"""),
                }
            )
            {
                var refused = await database.SendAsync(method, path, body);
                Assert.Equal((path, HttpStatusCode.NotImplemented), (path, refused.Status));
                Assert.Contains("libjavascriptcoregtk-4.1-0", refused.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
            }
            Assert.Empty(receiver.Events);
            Assert.Equal(0, await bare.StopAsync());
        }
        await using (var whole = await ServerUnderTest.StartAsync(folder, []))
        {
            await UntilAsync(() => Task.FromResult(receiver.Events.Count == 1), () => "The document does not arrive.");
            Assert.Equal(0, await whole.StopAsync());
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task Connection_strings_are_listed_without_their_secrets()
    {
        var database = await server.NewDatabaseAsync();
        await database.SendAsync("PUT", "/admin/connection-strings", Connection("http://127.0.0.1:9/"));
        await database.SendAsync(
            "PUT",
            "/admin/connection-strings",
            """{"Type":"Queue","Name":"Kafka","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"h:1","ConnectionOptions":{"sasl.password":"hush"}}}"""
        );
        var answer = await database.GetAsync("/admin/connection-strings");
        Assert.DoesNotContain("hush", answer.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("AAECAwQF", answer.Text, StringComparison.Ordinal);
        var queues = answer.Json.GetProperty("QueueConnectionStrings");
        Assert.Equal("h:1", queues.GetProperty("Kafka").GetProperty("KafkaConnectionSettings").GetProperty("BootstrapServers").GetString());
        Assert.Equal(
            ["Kafka"],
            (await database.GetAsync("/admin/connection-strings?connectionStringName=kafka&type=Queue"))
                .Json.GetProperty("QueueConnectionStrings")
                .EnumerateObject()
                .Select(p => p.Name)
        );
    }

    [Fact]
    public async Task A_task_that_cannot_be_is_refused_with_the_place_of_the_mistake()
    {
        var database = await server.NewDatabaseAsync();
        await database.SendAsync("PUT", "/admin/connection-strings", Connection("http://127.0.0.1:9/"));
        var answer = await database.SendAsync(
            "PUT",
            "/admin/etl",
            Definition().Replace("throw new", "throw nwe )", StringComparison.Ordinal)
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("line 1", answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        answer = await database.SendAsync("PUT", "/admin/etl", Definition().Replace("\"Hook\"", "\"Nobody\"", StringComparison.Ordinal));
        Assert.Equal((HttpStatusCode.BadRequest, true), (answer.Status, answer.Text.Contains("'Nobody'", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_script_is_tried_on_stored_documents_before_it_is_saved()
    {
        var database = await server.NewDatabaseAsync();
        await PutOrderAsync(database, 1);
        await PutOrderAsync(database, 2, bad: "script");
        await database.PutAsync("users/1", """{"@metadata":{"@collection":"Users"}}""");
        var all = (
            await database.SendAsync("POST", "/etl/test", $$"""{"Script":"{{Script}}","Collections":["Orders"]}""")
        ).Json.GetProperty("Results");
        Assert.Equal(["orders/1", "orders/2"], all.EnumerateArray().Select(result => result.GetProperty("DocumentId").GetString()));
        var message = Assert.Single(all[0].GetProperty("Messages").EnumerateArray());
        Assert.Equal(("Orders", 1), (message.GetProperty("target").GetString(), message.GetProperty("data").GetProperty("n").GetInt32()));
        Assert.Contains("Error: no (line 1", all[1].GetProperty("Error").GetString(), StringComparison.Ordinal);
        Assert.Equal(0, all[1].GetProperty("Messages").GetArrayLength());
        var one = (
            await database.SendAsync("POST", "/etl/test", """{"Script":"loadToX({ id: id() })","DocumentId":"users/1"}""")
        ).Json.GetProperty("Results");
        Assert.Equal(
            "users/1",
            Assert.Single(one.EnumerateArray()).GetProperty("Messages")[0].GetProperty("data").GetProperty("id").GetString()
        );
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await database.SendAsync("POST", "/etl/test", """{"Script":"loadToX(","DocumentId":"users/1"}""")).Status
        );
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await database.SendAsync("POST", "/etl/test", """{"Script":"loadToX(this)","DocumentId":"nobody"}""")).Status
        );
    }

    [Fact]
    public async Task A_connection_is_tested_before_it_is_saved_and_when_it_is_stored()
    {
        var database = await server.NewDatabaseAsync();
        // Any HTTP server will do, this one too: it is only asked for its options.
        var good = (await database.SendAsync("POST", "/etl/connection-test", Connection(server.Url))).Json;
        Assert.True(good.GetProperty("Success").GetBoolean(), good.GetRawText());
        Assert.Contains("is reached", good.GetProperty("Message").GetString(), StringComparison.Ordinal);
        await database.SendAsync("PUT", "/admin/connection-strings", Connection("http://127.0.0.1:1/"));
        var bad = (await database.SendAsync("POST", "/etl/connection-test?name=hook")).Json;
        Assert.False(bad.GetProperty("Success").GetBoolean());
        Assert.Contains("127.0.0.1:1 cannot be reached", bad.GetProperty("Error").GetString(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("POST", "/etl/connection-test?name=nobody")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("POST", "/etl/connection-test", "{}")).Status);
    }

    [Fact]
    public async Task A_rate_limit_is_changed_while_the_task_runs_and_kept_with_it()
    {
        await using var receiver = new WebhookReceiver();
        var database = await server.NewDatabaseAsync();
        for (var n = 0; n < 20; n++)
            await PutOrderAsync(database, n);
        var id = await StartTaskAsync(database, receiver.Url, "\"MaxMessagesPerSecond\":0.001,");
        await UntilAsync(
            async () =>
                (await StatusAsync(database)).GetProperty("Reason").GetString()?.Contains("0.001 messages", StringComparison.Ordinal)
                == true,
            () => "It is not held back."
        );
        Assert.Single(receiver.Events);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("POST", $"/etl/rate-limit?id={id}&messages=-1")).Status);
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("POST", $"/etl/rate-limit?id={id}&documents=1000")).Status);
        await UntilAsync(() => Task.FromResult(receiver.Subjects().Count == 20), () => "The rest does not arrive.");
        var configuration = (await database.GetAsync($"/task?key={id}&type=QueueEtl")).Json.GetProperty("Configuration");
        Assert.Equal(
            (1000, JsonValueKind.Null),
            (configuration.GetProperty("MaxDocumentsPerSecond").GetInt32(), configuration.GetProperty("MaxMessagesPerSecond").ValueKind)
        );
    }

    [Fact]
    public async Task A_task_whose_endpoint_refuses_it_is_an_alert_until_it_is_resumed()
    {
        var isWrong = true;
        await using var receiver = new WebhookReceiver(_ => Volatile.Read(ref isWrong) ? 401 : 200);
        var database = await server.NewDatabaseAsync();
        var id = await StartTaskAsync(database, receiver.Url);
        await PutOrderAsync(database, 1);
        await UntilAsync(
            async () => (await database.GetAsync("/alerts")).Json.GetProperty("Alerts").GetArrayLength() == 1,
            () => "There is no alert."
        );
        var alert = (await database.GetAsync("/alerts")).Json.GetProperty("Alerts")[0];
        Assert.Equal(
            ("Error", $"etl/{id}", "The task 'Orders out' is Stopped"),
            (alert.GetProperty("Severity").GetString(), alert.GetProperty("Source").GetString(), alert.GetProperty("Title").GetString())
        );
        Assert.Contains("answered 401", alert.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Contains($"POST /etl/resume?id={id}", alert.GetProperty("Advice").GetString(), StringComparison.Ordinal);
        Assert.InRange(alert.GetProperty("Since").GetDateTime(), DateTime.UtcNow.AddMinutes(-5), DateTime.UtcNow.AddMinutes(1));
        using (var health = JsonDocument.Parse(await server.Client.GetStringAsync($"{server.Url}/health/ready")))
        {
            Assert.Equal("Degraded", health.RootElement.GetProperty("Status").GetString());
            Assert.Contains(
                health.RootElement.GetProperty("StoppedTasks").EnumerateArray(),
                task => task.GetProperty("Database").GetString() == database.Name
            );
        }
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await database.SendAsync("POST", $"/etl/position?id={id}&etag=0&transform=nobody")).Status
        );
        Volatile.Write(ref isWrong, false);
        Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("POST", $"/etl/resume?id={id}")).Status);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 1), () => "The document does not arrive.");
        Assert.Equal(0, (await database.GetAsync("/alerts")).Json.GetProperty("Alerts").GetArrayLength());
    }

    [Fact]
    public async Task Messages_carry_the_trace_of_the_request_that_wrote()
    {
        const string Trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        await using var receiver = new WebhookReceiver();
        var database = await server.NewDatabaseAsync();
        await StartTaskAsync(database, receiver.Url);
        const string Order = """{"n":1,"@metadata":{"@collection":"Orders"}}""";
        await database.SendAsync("PUT", "/docs?id=orders/traced", Order, ("traceparent", Trace));
        await database.SendAsync("PUT", "/docs?id=orders/plain", Order);
        await database.SendAsync("PUT", "/docs?id=orders/wrong", Order, ("traceparent", "00-zz"));
        await database.SendAsync(
            "POST",
            "/bulk_docs",
            $$"""{"Commands":[{"Type":"PUT","Id":"orders/batch","Document":{{Order}}}]}""",
            ("traceparent", Trace.Replace("-01", "-00", StringComparison.Ordinal))
        );
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 4), () => string.Join(",", receiver.Subjects()));
        string? Of(string id) =>
            receiver.Events.Single(e => e.GetProperty("subject").GetString() == id).TryGetProperty("traceparent", out var trace)
                ? trace.GetString()
                : null;
        Assert.Equal(Trace, Of("orders/traced"));
        Assert.Null(Of("orders/plain"));
        Assert.Null(Of("orders/wrong"));
        Assert.EndsWith("-b7ad6b7169203331-00", Of("orders/batch"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Dead_letters_are_listed_retried_superseded_and_purged()
    {
        var isSour = true;
        await using var receiver = new WebhookReceiver(_ => Volatile.Read(ref isSour) ? 422 : 200);
        var database = await server.NewDatabaseAsync();
        await StartTaskAsync(database, receiver.Url, "\"MaxFailedShare\":1,");
        for (var n = 1; n <= 3; n++)
            await PutOrderAsync(database, n);
        await UntilAsync(
            async () => (await database.GetAsync("/etl/dead-letters")).Json.GetProperty("Results").GetArrayLength() == 3,
            () => "There are no three dead letters."
        );
        Assert.Contains("\"3 dead letters\"", (await database.GetAsync("/alerts")).Text, StringComparison.Ordinal);
        var page = (await database.GetAsync("/etl/dead-letters?task=orders%20OUT&transform=all&start=1&pageSize=1")).Json;
        var second = Assert.Single(page.GetProperty("Results").EnumerateArray());
        Assert.Equal(
            ("orders/2", "Dead", true),
            (
                second.GetProperty("DocumentId").GetString(),
                second.GetProperty("State").GetString(),
                page.GetProperty("HasMore").GetBoolean()
            )
        );
        Assert.Empty((await database.GetAsync("/etl/dead-letters?task=99")).Json.GetProperty("Results").EnumerateArray());

        Volatile.Write(ref isSour, false);
        receiver.Events.Clear();
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("POST", "/etl/dead-letters/retry")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("DELETE", "/etl/dead-letters?state=Superseded")).Status);
        Assert.Equal(HttpStatusCode.BadRequest, (await database.SendAsync("POST", "/etl/dead-letters/retry?id=@dead-letters/none")).Status);
        var outcome = (
            await database.SendAsync("POST", $"/etl/dead-letters/retry?id={second.GetProperty("Id").GetString()}&waitSeconds=120")
        ).Json.GetProperty("Tasks")[0];
        Assert.Equal(
            (1, 0, true),
            (
                outcome.GetProperty("Settled").GetInt32(),
                outcome.GetProperty("Failed").GetInt32(),
                outcome.GetProperty("IsDone").GetBoolean()
            )
        );
        Assert.Equal(["orders/2"], receiver.Subjects());

        await PutOrderAsync(database, 3);
        outcome = (await database.SendAsync("POST", "/etl/dead-letters/retry?all=true&waitSeconds=120")).Json.GetProperty("Tasks")[0];
        Assert.Equal((1, 1), (outcome.GetProperty("Settled").GetInt32(), outcome.GetProperty("Superseded").GetInt32()));
        await UntilAsync(
            () => Task.FromResult(receiver.Subjects().SetEquals(["orders/1", "orders/2", "orders/3"])),
            () => string.Join(",", receiver.Subjects())
        );
        Assert.Equal(
            "orders/3",
            Assert
                .Single((await database.GetAsync("/etl/dead-letters?state=superseded")).Json.GetProperty("Results").EnumerateArray())
                .GetProperty("DocumentId")
                .GetString()
        );
        Assert.Equal(
            0,
            (await database.SendAsync("DELETE", "/etl/dead-letters?all=true&state=Dead")).Json.GetProperty("Purged").GetInt32()
        );
        Assert.Equal(1, (await database.SendAsync("DELETE", "/etl/dead-letters?all=true")).Json.GetProperty("Purged").GetInt32());
        Assert.Equal(3, receiver.Events.Count);
    }

    [Fact]
    public async Task The_record_shows_tasks_without_secrets_and_a_new_database_takes_them_from_it()
    {
        await using var receiver = new WebhookReceiver();
        var name = $"recorded{Guid.NewGuid():N}";
        var wrong =
            $$$"""{"DatabaseName":"{{{name}}}","QueueConnectionStrings":{"Hook":{{{Connection(receiver.Url)}}}},"QueueEtls":[{{{Definition().Replace("\"Hook\"", "\"Nobody\"", StringComparison.Ordinal)}}}]}""";
        using (var refused = await server.Client.PutAsync($"{server.Url}/admin/databases?name={name}", new StringContent(wrong)))
            Assert.Equal(
                (HttpStatusCode.BadRequest, true),
                (refused.StatusCode, (await refused.Content.ReadAsStringAsync()).Contains("'Nobody'", StringComparison.Ordinal))
            );
        using (var absent = await server.Client.GetAsync($"{server.Url}/admin/databases?name={name}"))
            Assert.Equal(HttpStatusCode.NotFound, absent.StatusCode);

        // Type, name and kind follow from the place in the record.
        var right = wrong
            .Replace("\"Nobody\"", "\"hook\"", StringComparison.Ordinal)
            .Replace("\"Type\":\"Queue\",\"Name\":\"Hook\",", "", StringComparison.Ordinal)
            .Replace("\"EtlType\":\"Queue\",", "", StringComparison.Ordinal);
        using (var created = await server.Client.PutAsync($"{server.Url}/admin/databases?name={name}", new StringContent(right)))
            Assert.True(created.IsSuccessStatusCode, await created.Content.ReadAsStringAsync());
        var database = new WireDatabase(server.Client, server.Url, name);
        await PutOrderAsync(database, 1);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 1), () => "The document does not arrive.");
        foreach (
            var text in new[]
            {
                (await database.GetAsync("/admin/record")).Text,
                await server.Client.GetStringAsync($"{server.Url}/admin/databases?name={name}"),
            }
        )
        {
            Assert.DoesNotContain("AAECAwQF", text, StringComparison.Ordinal);
            var record = JsonDocument.Parse(text).RootElement;
            Assert.Equal(
                "******",
                record
                    .GetProperty("QueueConnectionStrings")
                    .GetProperty("Hook")
                    .GetProperty("WebhookConnectionSettings")
                    .GetProperty("Secret")
                    .GetString()
            );
            var task = Assert.Single(record.GetProperty("QueueEtls").EnumerateArray());
            Assert.Equal(("Orders out", 1), (task.GetProperty("Name").GetString(), task.GetProperty("TaskId").GetInt32()));
        }

        // A client that writes back what it has read leaves the task and its secret as they are.
        var read = await server.Client.GetStringAsync($"{server.Url}/admin/databases?name={name}");
        using var update = new HttpRequestMessage(HttpMethod.Put, $"{server.Url}/admin/databases?name={name}")
        {
            Content = new StringContent(read),
        };
        update.Headers.TryAddWithoutValidation("ETag", $"\"{JsonDocument.Parse(read).RootElement.GetProperty("Etag").GetInt64()}\"");
        using (var updated = await server.Client.SendAsync(update))
            Assert.True(updated.IsSuccessStatusCode, await updated.Content.ReadAsStringAsync());
        Assert.Equal(1, (await database.GetAsync("/admin/record")).Json.GetProperty("QueueEtls").GetArrayLength());
        await PutOrderAsync(database, 2);
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 2), () => "The second document does not arrive.");
    }

    [Fact]
    public async Task Tasks_are_counted_for_whoever_watches_the_server()
    {
        await using var receiver = new WebhookReceiver();
        var database = await server.NewDatabaseAsync();
        await StartTaskAsync(database, receiver.Url);
        await PutOrderAsync(database, 1);
        await PutOrderAsync(database, 2, bad: "script");
        var labels = $"{{database=\"{database.Name}\",task=\"Orders out\"}}";
        var text = "";
        await UntilAsync(
            async () =>
            {
                text = await server.Client.GetStringAsync($"{server.Url}/metrics");
                return text.Contains($"jackdaw_etl_messages_total{labels} 1\n", StringComparison.Ordinal)
                    && text.Contains($"jackdaw_etl_lag_etags{labels} 0\n", StringComparison.Ordinal)
                    && text.Contains($"jackdaw_etl_lag_documents{labels} 0\n", StringComparison.Ordinal);
            },
            () => text
        );
        Assert.Contains("# TYPE jackdaw_etl_messages_total counter\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_etl_dead_letters_total{labels} 1\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_etl_up{labels} 1\n", text, StringComparison.Ordinal);
        Assert.Contains($"jackdaw_etl_lag_seconds{labels} 0\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Tasks_are_operated_from_the_command_line()
    {
        var isSour = true;
        await using var receiver = new WebhookReceiver(_ => Volatile.Read(ref isSour) ? 422 : 200);
        var database = await server.NewDatabaseAsync();
        await StartTaskAsync(database, receiver.Url, "\"MaxFailedShare\":1,");
        await PutOrderAsync(database, 1);
        await UntilAsync(
            async () => (await StatusAsync(database)).GetProperty("DeadLetters").GetInt32() == 1,
            () => "There is no dead letter."
        );
        Assert.Contains(
            "Orders out",
            (await CommandAsync(0, "etl", "status"))
                .Split('\n')
                .Single(line => line.StartsWith(database.Name + " ", StringComparison.Ordinal)),
            StringComparison.Ordinal
        );
        using (var status = JsonDocument.Parse(await CommandAsync(0, "etl", "status", database.Name, "--json")))
            Assert.Equal("Orders out", status.RootElement.GetProperty(database.Name)[0].GetProperty("TaskName").GetString());

        Assert.Contains(
            "answered 422",
            await CommandAsync(0, "etl", "dead-letters", "list", database.Name, "--task", "orders out"),
            StringComparison.Ordinal
        );
        Assert.Contains("1  ", await CommandAsync(1, "etl", "dead-letters", "retry", database.Name, "--all"), StringComparison.Ordinal);
        Volatile.Write(ref isSour, false);
        Assert.Contains(
            "done",
            await CommandAsync(0, "etl", "dead-letters", "retry", database.Name, "--task", "Orders out"),
            StringComparison.Ordinal
        );
        Assert.Single(receiver.Events);

        Assert.Contains(
            "Nothing was changed.",
            await CommandAsync(1, "etl", "reset", database.Name, "orders out"),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "begins anew",
            await CommandAsync(0, "etl", "reset", database.Name, "orders out", "All", "--yes"),
            StringComparison.Ordinal
        );
        await UntilAsync(() => Task.FromResult(receiver.Events.Count == 2), () => "Nothing comes again after a reset.");
        Assert.Contains(
            "0 purged",
            await CommandAsync(0, "etl", "dead-letters", "purge", database.Name, "--all", "--yes"),
            StringComparison.Ordinal
        );
        Assert.Contains("does not exist", await CommandAsync(1, "etl", "status", "nobody"), StringComparison.Ordinal);
        Assert.Contains("no task named", await CommandAsync(1, "etl", "reset", database.Name, "nobody", "--yes"), StringComparison.Ordinal);
        Assert.Contains("run etl status", await CommandAsync(2, "etl", "what"), StringComparison.Ordinal);
    }

    /// <summary>Runs a command of the executable against the server, its questions answered by the end of the input; gives all
    /// that it said.</summary>
    private async Task<string> CommandAsync(int expectedCode, params string[] arguments)
    {
        await using var process = ServerUnderTest.Launch(null, [.. arguments, $"--url={server.Url}", "--no-defaults"]);
        process.CloseStandardInput();
        var code = await process.WaitForExitAsync();
        var said = process.Output + process.Errors;
        Assert.True(code == expectedCode, $"{string.Join(' ', arguments)} ended with {code}:\n{said}");
        return said;
    }
}

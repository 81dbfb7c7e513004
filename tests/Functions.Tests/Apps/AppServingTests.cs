using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Tests.Queues;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>The function app between a host (the test) and a real server, or one that misbehaves.</summary>
[Trait("Category", "Slow")]
public sealed class AppServingTests(Account account) : IClassFixture<Account>
{
    private const string Order =
        """{"Company":"companies/1","Lines":[{"PricePerUnit":2.5,"Quantity":4}],"@metadata":{"@collection":"Orders"}}""";

    [Fact]
    public async Task Orders_and_accounts_reach_the_read_model_by_every_transport()
    {
        await using var scene = await Scene.OpenAsync();
        await using var app = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(scene.Server.Url));
        string[] transports = ["Queue", "RabbitMq", "Kafka", "EventHubs"];
        for (var i = 0; i < transports.Length; i++)
        {
            await scene.Wire.SendAsync("PUT", $"/databases/shop/docs?id=orders/{i}", Order);
            var group = $$$"""{"groups":[{"stream":"account-{{{i}}}","expectedLast":0,"events":[{"payload":{"deposited":5}}]}]}""";
            await scene.Wire.SendAsync("POST", "/databases/shop/events", group);
            await Eventually.IsAsync(() => scene.Messages.Count >= 2);
            while (scene.Messages.TryDequeue(out var message))
            {
                var text = Encoding.UTF8.GetString(message);
                var what = text.Contains("\"target\":\"Events\"", StringComparison.Ordinal) ? "Accounts" : "Orders";
                object trigger = transports[i] is "Queue" or "RabbitMq"
                    ? Convert.ToBase64String(message)
                    : JsonSerializer.Serialize(new[] { Convert.ToBase64String(message), Convert.ToBase64String(message) });
                Assert.Empty(await app.DeadLettersAsync($"{what}From{transports[i]}", trigger));
            }
            Assert.Equal(10m, (await scene.Wire.DocumentAsync("views", $"summaries/orders/{i}"))!.Value.GetProperty("Total").GetDecimal());
            var balance = await scene.Wire.DocumentAsync("views", $"balances/{Consumer.Hash($"account-{i}")}");
            Assert.Equal(5, balance!.Value.GetProperty("Balance").GetInt64());
        }
    }

    /// <summary>A batch of many messages of few documents, in disorder, with some that are wrong.</summary>
    [Fact]
    public async Task A_batch_is_applied_whole_and_its_dead_letters_are_one_message_each()
    {
        await using var scene = await Scene.OpenAsync();
        await using var app = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(scene.Server.Url));
        for (var i = 0; i < 60; i++)
            await scene.Wire.SendAsync(
                "PUT",
                $"/databases/shop/docs?id=orders/{i % 7}",
                Order.Replace("2.5", $"{i}", StringComparison.Ordinal)
            );
        await scene.Wire.UntilSentAsync("shop");
        var random = new Random(1);
        var batch = scene.Messages.Select(message => Encoding.UTF8.GetString(message)).ToList();
        batch.AddRange(["", "no JSON", """{"specversion":"1.0"}"""]);
        var letters = await app.DeadLettersAsync("OrdersFromKafka", batch.OrderBy(_ => random.Next()).ToArray());
        Assert.Equal(
            ["", "no JSON", """{"specversion":"1.0"}"""],
            letters.Select(letter => Encoding.UTF8.GetString(letter.GetProperty("body").GetBytesFromBase64())).Order(StringComparer.Ordinal)
        );
        for (var i = 53; i < 60; i++)
            Assert.Equal(
                i * 4m,
                (await scene.Wire.DocumentAsync("views", $"summaries/orders/{i % 7}"))!.Value.GetProperty("Total").GetDecimal()
            );
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Claim_checks_come_from_the_one_account_of_the_settings()
    {
        await using var scene = await Scene.OpenAsync();
        await using var app = await FunctionAppUnderTest.StartAsync(
            FunctionAppUnderTest.Settings(scene.Server.Url, ("ClaimChecks", account.ConnectionString))
        );
        var asked = 0;
        await using var elsewhere = new HttpEndpoint(
            (_, _) =>
            {
                Interlocked.Increment(ref asked);
                return Task.CompletedTask;
            }
        );
        var container = account.Blobs.GetBlobContainerClient("checks");
        await container.CreateAsync();
        await container.UploadBlobAsync("a folder/one.json", new BinaryData(Order));
        await container.UploadBlobAsync("broken.json", new BinaryData("{"));
        await scene.Wire.SendAsync("PUT", "/databases/shop/docs?id=orders/1", Order);
        await Eventually.IsAsync(() => !scene.Messages.IsEmpty);
        var message = JsonNode.Parse(scene.Messages.Single())!.AsObject();
        message.Remove("data");

        foreach (
            var (dataRef, reason) in new[]
            {
                ($"{container.Uri}/gone.json", "is gone (BlobNotFound)"),
                ($"{account.Blobs.Uri}/nowhere/x.json", "is gone (ContainerNotFound)"),
                ($"{container.Uri}/broken.json", "is no JSON"),
                ($"{container.Uri}/broken.json?comp=metadata", "has a query"),
                ($"{account.Blobs.Uri}/checks", "names no blob in a container"),
                ($"{elsewhere.Url}{account.Blobs.AccountName}/checks/x.json", "fetches claim checks from http://127.0.0.1:"),
                ($"http://127.0.0.1:{account.Azurite.BlobPort}/other/checks/x.json", "fetches claim checks from http://127.0.0.1:"),
                (
                    $"http://user@127.0.0.1:{account.Azurite.BlobPort}/{account.Blobs.AccountName}/checks/x.json",
                    "fetches claim checks from"
                ),
                ("file:///etc/passwd", "fetches claim checks from http://127.0.0.1:"),
            }
        )
        {
            var letter = Assert.Single(await app.DeadLettersAsync("OrdersFromQueue", Base64(With(message, dataRef))));
            Assert.Contains(reason, letter.GetProperty("reason").GetString(), StringComparison.Ordinal);
        }
        Assert.Equal(0, asked);
        Assert.Null(await scene.Wire.DocumentAsync("views", "summaries/orders/1"));
        var there = With(message, container.GetBlobClient("a folder/one.json").Uri.AbsoluteUri);
        Assert.Empty(await app.DeadLettersAsync("OrdersFromQueue", Base64(there)));
        Assert.Equal(10m, (await scene.Wire.DocumentAsync("views", "summaries/orders/1"))!.Value.GetProperty("Total").GetDecimal());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_dead_letter_that_is_too_large_for_a_queue_is_a_blob_and_is_sent_again_whole()
    {
        const int TooLarge = 40_000;
        await using var app = await FunctionAppUnderTest.StartAsync(
            FunctionAppUnderTest.Settings(ServerlessApp.NoServer, ("ClaimChecks", account.ConnectionString), ("OrdersQueue", "large-back"))
        );
        var text = $$"""{"specversion":"0.9","data":"{{new string('ü', TooLarge / 2)}}"}""";
        var letter = Assert.Single(await app.DeadLettersAsync("OrdersFromKafka", JsonSerializer.Serialize(new[] { Base64(text) })));
        Assert.False(letter.TryGetProperty("body", out _));
        Assert.Equal(Encoding.UTF8.GetByteCount(text), letter.GetProperty("bytes").GetInt32());
        var dead = await account.QueueAsync("large-letters-dead", Base64(letter.GetRawText()));
        var back = await account.QueueAsync("large-back");
        var (code, _, errors) = await account.RunAsync("redrive", "large-letters-dead");
        Assert.True(code == 0, errors);
        Assert.Equal(text, Letters.Text(Assert.Single(await Account.DrainAsync(back))));
        Assert.Equal(0, await Account.CountAsync(dead));
    }

    [Fact]
    public async Task A_dead_letter_that_can_be_kept_nowhere_waits()
    {
        await using var app = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(ServerlessApp.NoServer));
        var handling = app.InvokeAsync("OrdersFromQueue", Base64(new string('x', 40_000)));
        await Eventually.IsAsync(() => app.Output.Contains("there is no account for its blob: set ClaimChecks", StringComparison.Ordinal));
        await app.TerminateAsync();
        Assert.Equal(503, (await handling).Status);
    }

    /// <summary>A server that takes requests and never answers: the invocation fails in time, and the host has the message again.</summary>
    [Fact]
    public async Task A_handler_that_hangs_is_ended_in_time_and_leaves_no_dead_letter()
    {
        await using var server = new HttpEndpoint((_, _) => new TaskCompletionSource().Task);
        await using var app = await FunctionAppUnderTest.StartAsync(
            FunctionAppUnderTest.Settings(server.Url.ToString(), ("Jackdaw__LongestInvocation", "2"))
        );
        var (status, text) = await app.InvokeAsync("OrdersFromQueue", Base64(Message("orders/1")));
        Assert.Equal(503, status);
        Assert.Contains("could not be handled within 2 s (Jackdaw__LongestInvocation)", text, StringComparison.Ordinal);
    }

    /// <summary>One invocation waits for a server that refuses, another is in the middle of a request: the first ends at once, the second
    /// is finished, and so is the process.</summary>
    [Fact]
    public async Task A_stop_ends_what_waits_and_finishes_what_runs()
    {
        var (began, end) = (new TaskCompletionSource(), new TaskCompletionSource());
        await using var server = new HttpEndpoint(
            async (context, _) =>
            {
                // Of the read model; the marker of the order that is asked for is there already.
                if (context.Request.HttpMethod == "POST")
                {
                    began.TrySetResult();
                    await end.Task;
                }
                context.Response.StatusCode = 200;
                var answer = context.Request.HttpMethod == "POST" ? Marker() : """{"DatabaseId":"AAAA","Ancestors":[]}""";
                await context.Response.OutputStream.WriteAsync(Encoding.UTF8.GetBytes(answer));
            }
        );
        await using var app = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(server.Url.ToString()));
        var running = app.InvokeAsync("OrdersFromQueue", Base64(Message("orders/1")));
        await began.Task.WaitAsync(Eventually.Patience);
        // Its dead letter has nowhere to go.
        var waiting = app.InvokeAsync("AccountsFromQueue", Base64(new string('x', 40_000)));
        await Eventually.IsAsync(() => app.Output.Contains("AccountsFromQueue: waits", StringComparison.Ordinal));

        await app.TerminateAsync();

        var (status, text) = await waiting;
        Assert.Equal(503, status);
        Assert.Contains("The function app stops", text, StringComparison.Ordinal);
        Assert.False(running.IsCompleted);
        end.SetResult();
        Assert.Equal(200, (await running).Status);
        Assert.Equal(0, await app.WaitForExitAsync());
    }

    [Fact]
    public async Task A_stop_does_not_wait_for_ever_for_what_runs()
    {
        var asked = new TaskCompletionSource();
        await using var server = new HttpEndpoint(
            (_, _) =>
            {
                asked.TrySetResult();
                return new TaskCompletionSource().Task;
            }
        );
        await using var app = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(server.Url.ToString()));
        var running = app.InvokeAsync("OrdersFromQueue", Base64(Message("orders/1")));
        await asked.Task.WaitAsync(Eventually.Patience);
        await app.TerminateAsync();
        var (status, text) = await running;
        Assert.Equal(503, status);
        Assert.Contains("The function app stops", text, StringComparison.Ordinal);
        Assert.Equal(0, await app.WaitForExitAsync());
    }

    /// <summary>A host that is killed cannot end its handler.</summary>
    [Fact]
    public async Task The_process_ends_with_the_host_that_started_it()
    {
        var settings = FunctionAppUnderTest.Settings(ServerlessApp.NoServer, ("FUNCTIONS_CUSTOMHANDLER_PORT", $"{LoopbackPort.Find()}"));
        var start = new System.Diagnostics.ProcessStartInfo("sh", ["-c", "\"$0\" & echo $!; wait", FunctionAppUnderTest.Program])
        {
            RedirectStandardOutput = true,
        };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        using var host = System.Diagnostics.Process.Start(start)!;
        var id = int.Parse((await host.StandardOutput.ReadLineAsync())!, System.Globalization.CultureInfo.InvariantCulture);
        using var http = new HttpClient();
        await Eventually.IsAsync(async () =>
        {
            try
            {
                return await http.GetStringAsync($"http://127.0.0.1:{settings["FUNCTIONS_CUSTOMHANDLER_PORT"]}/") is not null;
            }
            catch (HttpRequestException)
            {
                return false;
            }
        });
        host.Kill();
        await Eventually.IsAsync(() =>
            !Directory.Exists($"/proc/{id}") || File.ReadAllText($"/proc/{id}/stat").Contains(") Z ", StringComparison.Ordinal)
        );
    }

    private static string Message(string subject) =>
        new JsonObject
        {
            ["specversion"] = "1.0",
            ["id"] = "1",
            ["source"] = "x",
            ["type"] = "ravendb.etl.put",
            ["subject"] = subject,
            ["databaseid"] = "AAAA",
            ["etag"] = "1",
            ["data"] = JsonNode.Parse(Order),
        }.ToJsonString();

    /// <summary>The marker of a later change: nothing is left to be done.</summary>
    private static string Marker() =>
        """
            {"Results":[{"Source":"orders/1","DatabaseId":"AAAA","Etag":7,"Number":0,"MessageId":"7","IsDeleted":false,
            "@metadata":{"@change-vector":"A:7"}}]}
            """;

    private static string With(JsonObject message, string dataRef)
    {
        var copy = message.DeepClone().AsObject();
        copy["dataref"] = dataRef;
        return copy.ToJsonString();
    }

    private static string Base64(string text) => Letters.Base64(text);
}

using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Tests;

/// <summary>What a handler does with messages that cannot be handled, with servers that are away, and with other histories.</summary>
[Trait("Category", "Slow")]
public sealed class HandlerFaultTests
{
    private const string Order =
        """{"Company":"companies/1","Lines":[{"PricePerUnit":2.5,"Quantity":4}],"@metadata":{"@collection":"Orders"}}""";

    [Fact]
    public async Task A_fault_of_the_message_is_a_dead_letter_at_once_and_leaves_no_marker()
    {
        await using var scene = await Scene.OpenAsync();
        var message = await OrderMessageAsync(scene, Order);
        foreach (
            var (bad, reason) in new (byte[], string)[]
            {
                ("{"u8.ToArray(), "is no JSON"),
                ("[]"u8.ToArray(), "is no CloudEvent"),
                ([0xff, 0xfe], "is no JSON"),
                (With(message, "specversion", "0.3"), "version '0.3'"),
                (With(message, "id", null), "no 'id'"),
                (With(message, "subject", ""), "'subject' is no text"),
                (With(message, "etag", "-1"), "'etag' is '-1'"),
                (With(message, "type", "com.example.other"), "of the type 'com.example.other'"),
                (With(message, "databaseid", "AAAAAAAAAAAAAAAAAAAAAA"), "neither the source"),
                (With(message, "data", null), "has no data"),
                (With(message, "data", JsonNode.Parse("""{"Lines":[{"PricePerUnit":"2","Quantity":1}]}""")), "no 'PricePerUnit'"),
                (With(message, "subject", "orders/" + new string('x', 510)), "longer than 512 bytes"),
                (With(message, "dataref", "https://blobs.example/there"), "fetches no claim checks"),
            }
        )
        {
            Assert.Equal(Outcome.DeadLettered, await scene.Handler(bad).HandleAsync(bad, CancellationToken.None));
            Assert.True(scene.Graves.Letters.TryDequeue(out var letter));
            Assert.Contains(reason, letter.Reason, StringComparison.Ordinal);
            Assert.Equal("order-summaries/1", letter.Consumer);
            Assert.Equal(bad, letter.Body.ToArray());
        }
        Assert.Equal(0, await CountAsync(scene));
        // The same message, mended and sent again, is applied.
        Assert.Equal(Outcome.Applied, await scene.Handler(message).HandleAsync(message, CancellationToken.None));
        Assert.Equal(Outcome.Ignored, await scene.Handler(message).HandleAsync(message, CancellationToken.None));
        var second = With(message, "id", "another");
        Assert.Equal(Outcome.DeadLettered, await scene.Handler(second).HandleAsync(second, CancellationToken.None));
        Assert.Contains("one message of a change", scene.Graves.Letters.Single().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_read_model_that_is_away_is_waited_for_and_nothing_becomes_a_dead_letter()
    {
        await using var scene = await Scene.OpenAsync();
        var message = await OrderMessageAsync(scene, Order);
        await scene.Wire.SendAsync("POST", "/admin/databases/disable", """{"DatabaseNames":["views"]}""");
        var waits = 0;
        var handling = scene
            .Handler(message, waits: (_, _) => Interlocked.Increment(ref waits))
            .HandleAsync(message, CancellationToken.None);
        await Eventually.IsAsync(() => Volatile.Read(ref waits) > 20 || handling.IsCompleted);
        Assert.False(handling.IsCompleted);
        await scene.Wire.SendAsync("POST", "/admin/databases/enable", """{"DatabaseNames":["views"]}""");
        Assert.Equal(Outcome.Applied, await handling.WaitAsync(Eventually.Patience));
        Assert.Empty(scene.Graves.Letters);
        Assert.Equal(10m, (await scene.Wire.DocumentAsync("views", "summaries/orders/1"))!.Value.GetProperty("Total").GetDecimal());
        // A host that stops gives the message back.
        await scene.Wire.SendAsync("POST", "/admin/databases/disable", """{"DatabaseNames":["views"]}""");
        using var stop = new CancellationTokenSource();
        handling = scene.Handler(message, waits: (_, _) => stop.Cancel()).HandleAsync(message, stop.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        Assert.Empty(scene.Graves.Letters);
    }

    /// <summary>Behind a proxy that is at its wit's end, 200 does not mean that the server has done anything.</summary>
    [Theory]
    [InlineData("/stats", "<html>Sign in</html>")]
    [InlineData("/stats", "{}")]
    [InlineData("/stats", """{"DatabaseId":null,"Ancestors":[]}""")]
    [InlineData("/stats", """{"DatabaseId":"A","Ancestors":[{"DatabaseId":"B","Etag":"x"}]}""")]
    [InlineData("/docs", "null")]
    [InlineData("/docs", "[]")]
    [InlineData("/docs", """{"Results":7}""")]
    [InlineData("/docs", """{"Results":[]}""")]
    [InlineData("/docs", """{"Results":[{"Name":"no metadata"}]}""")]
    [InlineData("/docs", """{"Results":["text"]}""")]
    [InlineData("/bulk_docs", """{"status":"ok"}""")]
    [InlineData("/bulk_docs", """{"Results":[{}]}""")]
    public async Task What_no_server_answers_is_waited_out(string path, string body)
    {
        await using var scene = await Scene.OpenAsync();
        var message = await OrderMessageAsync(scene, Order);
        using var connections = new SocketsHttpHandler();
        using var proxy = new Proxy(connections, path) { Body = body };
        Exception? fault = null;
        var handling = scene
            .Handler(
                message,
                over: proxy,
                waits: (reason, _) =>
                {
                    fault = reason;
                    proxy.Body = null;
                }
            )
            .HandleAsync(message, CancellationToken.None);
        Assert.Equal(Outcome.Applied, await handling.WaitAsync(Eventually.Patience));
        Assert.Contains("answered", Assert.IsType<InfrastructureException>(fault).Message, StringComparison.Ordinal);
        Assert.Empty(scene.Graves.Letters);
        Assert.Equal(10m, (await scene.Wire.DocumentAsync("views", "summaries/orders/1"))!.Value.GetProperty("Total").GetDecimal());
    }

    [Fact]
    public async Task A_marker_that_somebody_has_overwritten_is_waited_for_until_it_is_mended()
    {
        await using var scene = await Scene.OpenAsync();
        var message = await OrderMessageAsync(scene, Order);
        var path = "/databases/views/docs?id=" + Uri.EscapeDataString(new Consumer("order-summaries", 1).MarkerOfDocument("orders/1"));
        await scene.Wire.SendAsync("PUT", path, """{"Source":"orders/1","Etag":"no number"}""");
        var faults = new ConcurrentQueue<Exception>();
        var handling = scene.Handler(message, waits: (fault, _) => faults.Enqueue(fault)).HandleAsync(message, CancellationToken.None);
        await Eventually.IsAsync(() => faults.Count > 2 || handling.IsCompleted);
        Assert.False(handling.IsCompleted);
        Assert.Contains("is no marker", faults.First().Message, StringComparison.Ordinal);
        await scene.Wire.SendAsync("DELETE", path);
        Assert.Equal(Outcome.Applied, await handling.WaitAsync(Eventually.Patience));
        Assert.Empty(scene.Graves.Letters);
    }

    [Fact]
    public async Task A_claim_check_is_fetched_waited_for_and_a_dead_letter_when_it_is_gone()
    {
        await using var scene = await Scene.OpenAsync();
        var message = With(await OrderMessageAsync(scene, Order), "data", null);
        var there = With(message, "dataref", "https://blobs.example/there");
        var gone = With(message, "dataref", "https://blobs.example/gone");
        Assert.Equal(
            Outcome.DeadLettered,
            await scene.Handler(gone, claimChecks: new ClaimCheckStore(Order, 3)).HandleAsync(gone, CancellationToken.None)
        );
        Assert.Contains("is gone", scene.Graves.Letters.Single().Reason, StringComparison.Ordinal);
        Assert.Equal(0, await CountAsync(scene));
        Assert.Equal(
            Outcome.Applied,
            await scene.Handler(there, claimChecks: new ClaimCheckStore(Order, 3)).HandleAsync(there, CancellationToken.None)
        );
        Assert.Equal(10m, (await scene.Wire.DocumentAsync("views", "summaries/orders/1"))!.Value.GetProperty("Total").GetDecimal());
    }

    [Fact]
    public async Task An_event_that_cannot_be_understood_or_was_deleted_too_early_is_told()
    {
        await using var scene = await Scene.OpenAsync();
        await AppendAsync(scene, """{"payload":{"deposited":5}},{"payload":{"stolen":3}}""");
        var messages = await MessagesAsync(scene, 2);
        Assert.Equal(Outcome.DeadLettered, await scene.Handler(messages[0]).HandleAsync(messages[0], CancellationToken.None));
        Assert.Contains("neither a deposit", scene.Graves.Letters.Single().Reason, StringComparison.Ordinal);
        Assert.Equal(0, await CountAsync(scene));
        await scene.Wire.SendAsync("DELETE", "/databases/shop/events?stream=account-1&to=2");
        Assert.Equal(Outcome.DeadLettered, await scene.Handler(messages[1]).HandleAsync(messages[1], CancellationToken.None));
        Assert.Contains("deleted before", scene.Graves.Letters.Last().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stream_id_that_the_server_cannot_have_is_a_dead_letter_at_once()
    {
        await using var scene = await Scene.OpenAsync();
        await AppendAsync(scene, """{"payload":{"deposited":5}}""");
        var message = (await MessagesAsync(scene, 1))[0];
        foreach (var stream in new[] { new string('é', 501), new string('x', 1001) })
        {
            var bad = With(message, "subject", stream);
            using var waited = new CancellationTokenSource();
            var handler = scene.Handler(bad, waits: (_, _) => waited.Cancel());
            Assert.Equal(Outcome.DeadLettered, await handler.HandleAsync(bad, waited.Token));
            Assert.Contains("longer than 1000 bytes", scene.Graves.Letters.Last().Reason, StringComparison.Ordinal);
        }
        var longest = With(message, "subject", new string('x', 1000));
        Assert.Equal(Outcome.DeadLettered, await scene.Handler(longest).HandleAsync(longest, CancellationToken.None));
        Assert.Contains("deleted before", scene.Graves.Letters.Last().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_view_that_was_deleted_is_made_anew_from_the_first_event()
    {
        await using var scene = await Scene.OpenAsync();
        await AppendAsync(scene, """{"payload":{"deposited":5000}},{"payload":{"withdrawn":1500}}""");
        var first = (await MessagesAsync(scene, 2))[0];
        Assert.Equal(Outcome.Applied, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
        Assert.Equal((3500, 2), await BalanceAsync(scene));
        await scene.Wire.SendAsync("DELETE", $"/databases/views/docs?id=balances/{Consumer.Hash("account-1")}");
        await AppendAsync(scene, """{"payload":{"deposited":7}}""", expectedLast: 2);
        var later = (await MessagesAsync(scene, 1))[0];
        Assert.Equal(Outcome.Applied, await scene.Handler(later).HandleAsync(later, CancellationToken.None));
        Assert.Equal((3507, 3), await BalanceAsync(scene));

        // A message that comes again makes it anew, too; the effect that is made again has its former id.
        await scene.Wire.SendAsync("DELETE", $"/databases/views/docs?id=balances/{Consumer.Hash("account-1")}");
        Assert.Equal(Outcome.Applied, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
        Assert.Equal((3507, 3), await BalanceAsync(scene));
        await scene.Wire.UntilSentAsync("views");
        Assert.Single(scene.Notices.Select(notice => notice.WebhookId).Distinct());

        // There is nothing left to make it of, and nothing that was not applied.
        await scene.Wire.SendAsync("DELETE", $"/databases/views/docs?id=balances/{Consumer.Hash("account-1")}");
        await scene.Wire.SendAsync("DELETE", "/databases/shop/events?stream=account-1&to=3");
        Assert.Equal(Outcome.Ignored, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
        Assert.Empty(scene.Graves.Letters);
    }

    [Theory]
    [InlineData("""{"deposited":9223372036854775807}""", """{"deposited":1}""")]
    [InlineData("""{"deposited":0}""", """{"withdrawn":-9223372036854775808}""")]
    public async Task A_balance_that_no_number_holds_stops_the_stream_and_is_told(string before, string change)
    {
        await using var scene = await Scene.OpenAsync();
        await AppendAsync(scene, $$"""{"payload":{{before}}}""");
        var first = (await MessagesAsync(scene, 1))[0];
        Assert.Equal(Outcome.Applied, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
        var balance = await BalanceAsync(scene);
        await AppendAsync(scene, $$"""{"payload":{{change}}}""", expectedLast: 1);
        var second = (await MessagesAsync(scene, 1))[0];
        Assert.Equal(Outcome.DeadLettered, await scene.Handler(second).HandleAsync(second, CancellationToken.None));
        Assert.Contains("Event 2 of 'account-1' takes the balance beyond", scene.Graves.Letters.Single().Reason, StringComparison.Ordinal);
        Assert.Equal(balance, await BalanceAsync(scene));
    }

    /// <summary>More events than one batch applies.</summary>
    [Fact]
    public async Task One_message_brings_all_of_a_long_stream()
    {
        await using var scene = await Scene.OpenAsync();
        await AppendAsync(scene, string.Join(',', Enumerable.Repeat("""{"payload":{"deposited":1}}""", 1200)));
        var first = (await MessagesAsync(scene, 1))[0];
        Assert.Equal(Outcome.Applied, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
        Assert.Equal((1200, 1200), await BalanceAsync(scene));
        Assert.Equal(Outcome.Ignored, await scene.Handler(first).HandleAsync(first, CancellationToken.None));
    }

    [Fact]
    public async Task After_a_new_history_of_the_source_only_what_it_ever_had_is_applied()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-functions-").FullName;
        await using (var scene = await Scene.OpenAsync(folder: folder))
        {
            await AppendAsync(scene, """{"payload":{"deposited":10}}""");
            var deposit = (await MessagesAsync(scene, 1))[0];
            Assert.Equal(Outcome.Applied, await scene.Handler(deposit).HandleAsync(deposit, CancellationToken.None));
            var late = await OrderMessageAsync(scene, Order);
            Assert.Equal(0, await scene.Server.StopAsync());
            await scene.Server.DisposeAsync();
            await using (var command = ServerUnderTest.Launch(folder, ["new-history", "shop", "--no-defaults"]))
                Assert.Equal(0, await command.WaitForExitAsync());
            await scene.StartServerAsync(folder);

            // Of the former id, from before the fork and from behind it, and of a database that nobody knows.
            Assert.Equal(Outcome.Applied, await scene.Handler(late).HandleAsync(late, CancellationToken.None));
            var lost = With(late, "etag", "900");
            Assert.Equal(Outcome.Ignored, await scene.Handler(lost).HandleAsync(lost, CancellationToken.None));
            foreach (var id in new[] { 1, 2 })
                await scene.Wire.SendAsync("POST", $"/databases/shop/etl/resume?id={id}");
            var changed = await OrderMessageAsync(scene, Order.Replace("2.5", "7", StringComparison.Ordinal));
            Assert.NotEqual(CloudEvent.Parse(late).DatabaseId, CloudEvent.Parse(changed).DatabaseId);
            Assert.Equal(Outcome.Applied, await scene.Handler(changed).HandleAsync(changed, CancellationToken.None));
            Assert.Equal(Outcome.Ignored, await scene.Handler(late).HandleAsync(late, CancellationToken.None));
            Assert.Equal(28m, (await scene.Wire.DocumentAsync("views", "summaries/orders/1"))!.Value.GetProperty("Total").GetDecimal());

            // The stream goes on from its marker of the former id.
            await AppendAsync(scene, """{"payload":{"withdrawn":4}}""", expectedLast: 1);
            var withdrawal = (await MessagesAsync(scene, 1))[0];
            Assert.Equal(Outcome.Applied, await scene.Handler(withdrawal).HandleAsync(withdrawal, CancellationToken.None));
            Assert.Equal((6, 2), await BalanceAsync(scene));

            // A marker of a branch that the source never had: the state is made anew.
            var consumer = new Consumer("account-balances", 1);
            var marker = JsonNode
                .Parse((await scene.Wire.DocumentAsync("views", consumer.MarkerOfStream("account-1")))!.Value.GetRawText())!
                .AsObject();
            marker["DatabaseId"] = CloudEvent.Parse(late).DatabaseId;
            marker["Etag"] = 950;
            marker["Number"] = 40;
            marker["@metadata"] = new JsonObject { ["@collection"] = "FunctionMarkers" };
            await scene.Wire.SendAsync("PUT", $"/databases/views/docs?id={consumer.MarkerOfStream("account-1")}", marker.ToJsonString());
            Assert.Equal(Outcome.Applied, await scene.Handler(withdrawal).HandleAsync(withdrawal, CancellationToken.None));
            Assert.Equal((6, 2), await BalanceAsync(scene));
            Assert.Empty(scene.Graves.Letters);
        }
        Directory.Delete(folder, recursive: true);
    }

    private static async Task<byte[]> OrderMessageAsync(Scene scene, string order)
    {
        await scene.Wire.SendAsync("PUT", "/databases/shop/docs?id=orders/1", order);
        return (await MessagesAsync(scene, 1))[0];
    }

    private static async Task AppendAsync(Scene scene, string events, int expectedLast = 0)
    {
        var group = $$"""{"stream":"account-1","expectedLast":{{expectedLast}},"events":[{{events}}]}""";
        await scene.Wire.SendAsync("POST", "/databases/shop/events", $$"""{"groups":[{{group}}]}""");
    }

    /// <summary>Waits until so many messages are there and the source has sent all; takes them in the order of their etags.</summary>
    private static async Task<IReadOnlyList<byte[]>> MessagesAsync(Scene scene, int atLeast)
    {
        await Eventually.IsAsync(() => scene.Messages.Count >= atLeast);
        await scene.Wire.UntilSentAsync("shop");
        var taken = new List<byte[]>();
        while (scene.Messages.TryDequeue(out var message))
            taken.Add(message);
        return [.. taken.OrderBy(message => CloudEvent.Parse(message).Etag)];
    }

    private static async Task<(long Balance, long Events)> BalanceAsync(Scene scene)
    {
        var view = (await scene.Wire.DocumentAsync("views", $"balances/{Consumer.Hash("account-1")}"))!.Value;
        return (view.GetProperty("Balance").GetInt64(), view.GetProperty("Events").GetInt64());
    }

    private static async Task<long> CountAsync(Scene scene) =>
        (await scene.Wire.SendAsync("GET", "/databases/views/stats")).GetProperty("CountOfDocuments").GetInt64();

    /// <summary>Another value of a member; null: without it.</summary>
    private static byte[] With(byte[] message, string member, JsonNode? value)
    {
        var members = JsonNode.Parse(message)!.AsObject();
        if (value is null)
            members.Remove(member);
        else
            members[member] = value;
        return Encoding.UTF8.GetBytes(members.ToJsonString());
    }
}

using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// The server dies at the named steps of what a task does beside sending: retried dead letters, processed documents that are
/// deleted, orders. (Those of sending, for every
/// sink: <see cref="EtlDeliveryTests"/>.)
/// </summary>
[Trait("Category", "Slow")]
public sealed class EtlKillTests
{
    [Theory]
    [InlineData("etl/retry-sent")]
    [InlineData("etl/retry-removed")]
    public async Task A_retried_dead_letter_arrives_and_is_gone_at_last_when_the_process_died_at(string failpoint)
    {
        var isSour = true;
        await using var receiver = new WebhookReceiver(_ => Volatile.Read(ref isSour) ? 422 : 200);
        var folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = await CreateAsync(client, server);
            await EtlWireTests.StartTaskAsync(database, receiver.Url, "\"MaxFailedShare\":1,");
            for (var n = 0; n < 3; n++)
                await EtlWireTests.PutOrderAsync(database, n);
            await EtlWireTests.UntilAsync(async () => await DeadLettersAsync(database) == 3, () => "There are no three dead letters.");
            Assert.Equal(0, await server.StopAsync());
        }
        Volatile.Write(ref isSour, false);
        receiver.Events.Clear();
        await using (var server = await ServerUnderTest.StartAsync(folder, [$"--Testing.Failpoint={failpoint}"]))
        {
            await Assert.ThrowsAsync<HttpRequestException>(() =>
                new WireDatabase(client, server.Url, "shop").SendAsync("POST", "/etl/dead-letters/retry?all=true&waitSeconds=120")
            );
            await server.WaitForExitAsync();
        }
        Assert.NotEmpty(receiver.Events);
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = new WireDatabase(client, server.Url, "shop");
            Assert.True(
                (await database.SendAsync("POST", "/etl/dead-letters/retry?all=true&waitSeconds=120"))
                    .Json.GetProperty("Tasks")[0]
                    .GetProperty("IsDone")
                    .GetBoolean()
            );
            Assert.Equal(0, await DeadLettersAsync(database));
            Assert.Equal(0, await server.StopAsync());
        }
        Assert.Equal(["orders/0", "orders/1", "orders/2"], receiver.Subjects().Order());
        Assert.All(
            receiver.Events.GroupBy(e => e.GetProperty("subject").GetString()),
            copies => Assert.Single(copies.Select(e => e.GetProperty("id").GetString()).Distinct())
        );
        Directory.Delete(folder, recursive: true);
    }

    [Theory]
    [InlineData("etl/deleting-processed")]
    [InlineData("etl/processed-deleted")]
    public async Task Documents_that_are_deleted_when_sent_are_neither_lost_nor_left_when_the_process_died_at(string failpoint)
    {
        await using var receiver = new WebhookReceiver();
        var folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            await EtlWireTests.StartTaskAsync(
                await CreateAsync(client, server),
                receiver.Url,
                "\"Queues\":[{\"Name\":\"orders\",\"DeleteProcessedDocuments\":true}],"
            );
            Assert.Equal(0, await server.StopAsync());
        }
        var orders = 0;
        foreach (var times in new[] { 1, 2 })
        {
            await using var server = await ServerUnderTest.StartDoomedAsync(folder, $"--Testing.Failpoint={failpoint}#{times}");
            // It may have died of what the one before had left to be done.
            if (server is null)
                continue;
            orders = await WriteUntilItDiesAsync(new WireDatabase(client, server.Url, "shop"), server, orders);
            Assert.True(server.HasExited, $"{failpoint} was not reached.");
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = new WireDatabase(client, server.Url, "shop");
            await EtlWireTests.UntilAsync(
                async () => (await database.GetAsync("/docs?startsWith=orders/")).Json.GetProperty("Results").GetArrayLength() == 0,
                () => "Some documents stay."
            );
            Assert.Equal(0, await server.StopAsync());
        }
        Assert.Superset(Enumerable.Range(0, orders).Select(n => $"orders/{n}").ToHashSet(), receiver.Subjects());
        // One id, one content, however often it came; the document whose writing was not acknowledged may have been written twice.
        Assert.All(
            receiver.Events.GroupBy(e => e.GetProperty("id").GetString()),
            copies => Assert.Single(copies.Select(e => e.GetProperty("data").GetRawText()).Distinct())
        );
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task An_order_that_was_answered_is_carried_out_although_the_process_died_behind_the_answer()
    {
        using var gate = new ManualResetEventSlim();
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var receiver = new WebhookReceiver(e =>
        {
            if (e.GetProperty("subject").GetString() == "orders/1")
            {
                asked.TrySetResult();
                gate.Wait();
            }
            return 200;
        });
        var folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = await CreateAsync(client, server);
            await EtlWireTests.StartTaskAsync(database, receiver.Url);
            await EtlWireTests.PutOrderAsync(database, 0);
            await EtlWireTests.UntilAsync(
                async () => (await TaskAsync(database)).GetProperty("State").GetString() == "Idle" && receiver.Events.Count == 1,
                () => "The task does not send."
            );
            // From here on the receiver does not answer, and the task waits for it.
            await EtlWireTests.PutOrderAsync(database, 1);
            await asked.Task.WaitAsync(Eventually.Patience);
            Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("POST", "/etl/position?id=1&etag=0")).Status);
            await server.KillAsync();
        }
        gate.Set();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = new WireDatabase(client, server.Url, "shop");
            await EtlWireTests.UntilAsync(
                () =>
                    Task.FromResult(
                        receiver.Subjects().Contains("orders/1")
                            && receiver.Events.Count(e => e.GetProperty("subject").GetString() == "orders/0") == 2
                    ),
                () => string.Join(", ", receiver.Events.Select(e => e.GetProperty("subject").GetString()))
            );
            Assert.Equal(HttpStatusCode.NoContent, (await database.SendAsync("POST", "/etl/pause?id=1")).Status);
            await server.KillAsync();
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = new WireDatabase(client, server.Url, "shop");
            Assert.Equal("Paused", (await TaskAsync(database)).GetProperty("State").GetString());
            // Whoever has forgotten it is reminded.
            Assert.Contains("is Paused", (await database.GetAsync("/alerts")).Text, StringComparison.Ordinal);
            Assert.Equal(0, await server.StopAsync());
        }
        Directory.Delete(folder, recursive: true);
    }

    private static async Task<JsonElement> TaskAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0];

    private static async Task<int> DeadLettersAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/dead-letters")).Json.GetProperty("Results").GetArrayLength();

    private static async Task<WireDatabase> CreateAsync(HttpClient client, ServerUnderTest server)
    {
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name=shop",
            new StringContent("""{"DatabaseName":"shop"}""")
        );
        created.EnsureSuccessStatusCode();
        return new WireDatabase(client, server.Url, "shop");
    }

    /// <summary>Writes orders from a number on, returns the number after the last one that was acknowledged.</summary>
    private static async Task<int> WriteUntilItDiesAsync(WireDatabase database, ServerUnderTest server, int from)
    {
        var n = from;
        try
        {
            for (; n < from + 500 && !server.HasExited; n++)
            {
                await EtlWireTests.PutOrderAsync(database, n);
                await Task.Delay(2);
            }
        }
        catch (HttpRequestException)
        {
            // It died; whether this one was stored is unknown, and it is written again.
            await server.WaitForExitAsync();
        }
        for (
            var began = Stopwatch.GetTimestamp();
            !server.HasExited && n == from + 500 && Stopwatch.GetElapsedTime(began) < Eventually.Patience;

        )
            await Task.Delay(50);
        return n;
    }
}

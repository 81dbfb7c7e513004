using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Deliveries;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Xunit.Abstractions;

namespace Jackdaw.Acceptance;

/// <summary>
/// A task over <c>@events</c> while several writers append to streams of their own and the server is killed in the middle, again and
/// again: every event arrives, those of one stream in order, under its exact id; also those that are deleted before they are sent.
/// </summary>
[Trait("Category", "Slow")]
public sealed class EventDeliveryTests(ITestOutputHelper output)
{
    private const int Rounds = 4;
    private const int EventsPerRound = 60;

    /// <summary>Twins by casing are two streams.</summary>
    private static readonly string[] s_streams = ["actor-1", "Actor-1", "actor/2", "ä-3"];

    [Fact]
    public Task A_webhook_gets_every_event_in_the_order_of_its_stream() => RunAsync(new WebhookTarget());

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task RabbitMQ_gets_every_event_in_the_order_of_its_stream() => await RunAsync(await RabbitTarget.StartAsync());

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_gets_every_event_once_in_the_order_of_its_stream() =>
        await RunAsync(await KafkaTarget.StartAsync(isExactlyOnce: true));

    [BrokerFact(BrokerKind.Azurite)]
    public async Task An_Azure_queue_gets_every_event_and_etags_tell_the_order_of_its_stream() =>
        await RunAsync(await AzureQueueTarget.StartAsync());

    private async Task RunAsync(DeliveryTarget target)
    {
        await using var _ = target;
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        output.WriteLine($"JACKDAW_TEST_SEED={seed}");
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-event-etl-").FullName;
        using var client = new HttpClient { Timeout = Eventually.Patience };
        var writers = s_streams.Select(stream => new Writer(stream)).ToArray();
        for (var round = 0; round < Rounds; round++)
        {
            await using var server = await ServerUnderTest.StartAsync(folder, []);
            if (round == 0)
                await PrepareAsync(client, server, target);
            var database = new WireDatabase(client, server.Url, "shop");
            using var stop = new CancellationTokenSource();
            Task[] writing = [.. writers.Select(writer => writer.WriteAsync(database, stop.Token))];
            var before = writers.Sum(writer => writer.Acknowledged);
            await Eventually.IsAsync(() => writers.Sum(writer => writer.Acknowledged) > before + EventsPerRound);
            // Some of what is deleted here is sent, and some is not yet.
            var half = writers[0].Acknowledged / 2;
            var deleted = await database.SendAsync("DELETE", $"/events?stream={Uri.EscapeDataString(writers[0].Stream)}&to={half}");
            Assert.Equal(HttpStatusCode.OK, deleted.Status);
            await Task.Delay(random.Next(0, 300));
            await server.KillAsync();
            await stop.CancelAsync();
            await Task.WhenAll(writing);
            await target.CollectAsync();
        }
        await using var last = await ServerUnderTest.StartAsync(folder, []);
        var rest = new WireDatabase(client, last.Url, "shop");
        foreach (var writer in writers)
            await writer.RepeatAsync(rest);
        await DeliveryScene.UntilIdleAsync(rest);
        await target.CollectAllAsync();
        var duplicates = DeliveryOracle.Duplicates(target.Arrivals);
        Assert.Equal(0, await last.StopAsync());

        Assert.True(!target.Promise.IsExactlyOnce || duplicates == 0, $"{target.Name}: {duplicates} duplicates");
        if (target.Promise.IsOrdered)
            Assert.Null(DeliveryOracle.Disorder(target.Arrivals));
        foreach (var writer in writers)
        {
            var arrived = target.Arrivals.Where(arrival => arrival.Subject == writer.Stream).DistinctBy(arrival => arrival.Id);
            // The oracle has looked at the order of arrival. Etags give a stream's order back where the receiver keeps none.
            Assert.Equal(Enumerable.Range(1, writer.Acknowledged), arrived.OrderBy(arrival => arrival.Etag).Select(NumberOf));
        }
        TestReport.Write(
            output,
            $"{target.Name}: {writers.Sum(writer => writer.Acknowledged)} events of {writers.Length} streams over {Rounds} kills, "
                + $"{duplicates} duplicates (same id)"
        );
        Directory.Delete(folder, recursive: true);
    }

    private static int NumberOf(Arrival arrival)
    {
        using var data = JsonDocument.Parse(arrival.Data);
        return data.RootElement.GetProperty("n").GetInt32();
    }

    private static async Task PrepareAsync(HttpClient client, ServerUnderTest server, DeliveryTarget target)
    {
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name=shop",
            new StringContent("""{"DatabaseName":"shop"}""")
        );
        created.EnsureSuccessStatusCode();
        var database = new WireDatabase(client, server.Url, "shop");
        var connection = await database.SendAsync("PUT", "/admin/connection-strings", target.Connection().ToJsonString());
        Assert.True(connection.Status == HttpStatusCode.OK, connection.Text);
        var task = target.TaskMembers();
        task["EtlType"] = "Queue";
        task["BrokerType"] = target.Connection()["BrokerType"]!.DeepClone();
        task["Name"] = "Events out";
        task["ConnectionStringName"] = "Target";
        task["Transforms"] = new JsonArray(
            new JsonObject
            {
                ["Name"] = "All",
                ["Collections"] = new JsonArray("@events"),
                // One message an event, whatever the number.
                ["Script"] = target.Script.Replace("this.n % 5 === 0", "false", StringComparison.Ordinal).Replace("this.", "this.payload."),
            }
        );
        var answer = await database.SendAsync("PUT", "/admin/etl", task.ToJsonString());
        Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
    }

    /// <summary>Appends the numbers from 1 on to a stream, each as the payload of its event; repeats what was not answered.</summary>
    private sealed class Writer(string stream)
    {
        private int _acknowledged;

        public string Stream => stream;

        /// <summary>The last number that was acknowledged.</summary>
        public int Acknowledged => Volatile.Read(ref _acknowledged);

        public async Task WriteAsync(WireDatabase database, CancellationToken stop)
        {
            try
            {
                while (!stop.IsCancellationRequested)
                    await RepeatAsync(database);
            }
            catch (Exception e) when (e is HttpRequestException or IOException)
            {
                // The server was killed: the next one is told again.
            }
        }

        /// <summary>Appends the next number, which may be there already.</summary>
        public async Task RepeatAsync(WireDatabase database)
        {
            var next = Acknowledged + 1;
            var body = string.Create(
                CultureInfo.InvariantCulture,
                $$$"""{"groups":[{"stream":"{{{stream}}}","first":{{{next}}},"writer":"w","events":[{"ticks":{{{next}}},"payload":{"n":{{{next}}},"bad":""} }]}]}"""
            );
            var answer = await database.SendAsync("POST", "/events", body);
            Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
            Assert.Equal("stored", answer.Json.GetProperty("groups")[0].GetProperty("outcome").GetString());
            Volatile.Write(ref _acknowledged, next);
        }
    }
}

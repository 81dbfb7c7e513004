using System.Net;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Webhook;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>Tasks over <c>@events</c>: docs/etl.md, "Events".</summary>
public class EventTests
{
    private const string Script = "loadToOut({ n: this.payload, stream: this.stream, id: id() });";

    [Fact]
    public async Task Events_arrive_with_the_exact_stream_id_as_subject_and_partition_key()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.AppendAsync("Account/1 ä", 1, "1", "2");
        await scene.AppendAsync("account/1 ä", 7, "3");
        await scene.StartAsync(Task());
        scene.RunToRest();

        Assert.Equal(
            ["Account/1 ä Account/1 ä 1 @events/1", "Account/1 ä Account/1 ä 2 @events/1", "account/1 ä account/1 ä 3 @events/2"],
            scene.Ledger.Select(received => Shown(received))
        );
        Assert.Equal(["2", "3", "4"], scene.Ledger.Select(received => received.Id.Split('-')[0][2..]));
        Assert.Equal(scene.Database.LastDurableEtag, scene.StoredPosition());
    }

    [Fact]
    public async Task A_task_over_all_documents_never_sends_events_and_is_not_woken_by_them()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.AppendAsync("a", 1, "1");
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform("loadToOut({ id: id() });") with { ApplyToAllDocuments = true, Collections = ["@events"] })
        );
        scene.RunToRest();

        Assert.Equal(["""Out: {"id":"orders/1"}"""], scene.Ledger.Select(received => received.ToString()));
        Assert.Equal(Jackdaw.Documents.Watching.ChangeKinds.None, scene.Task.Wants("@events"));
    }

    [Fact]
    public async Task Events_that_were_deleted_before_they_were_read_are_sent_all_the_same_and_then_their_deletions()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.AppendAsync("a", 1, "1", "2", "3");
        await scene.DeleteEventsAsync("a", 2);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 1 };
        const string script = Script + "loadToOut({ at: getMetadata(this)['@id'] }); function deleted(id) { loadToOut({ gone: id }); }";
        await scene.StartAsync(Scene.Configuration(Scene.Transform(script, "@events") with { PublishDeletes = true }));
        scene.RunToRest();

        Assert.Equal(8, scene.Ledger.Count);
        Assert.Equal(
            ["a 1 1", "a 1 -", "a 2 2", "a 2 -", "a 3 3", "a 3 -", "a 4 gone 1", "a 5 gone 2"],
            scene.Ledger.Select(received =>
            {
                using var data = System.Text.Json.JsonDocument.Parse(received.Text);
                var what =
                    data.RootElement.TryGetProperty("n", out var n) ? n.GetRawText()
                    : data.RootElement.TryGetProperty("gone", out var gone) ? "gone " + gone.GetString()![^1]
                    : "-";
                return $"{received.Message.Event.PartitionKey} {received.Message.Origin.Etag} {what}";
            })
        );
        Assert.Equal(8, scene.Ledger.Select(received => received.Id).Distinct().Count());
    }

    [Fact]
    public async Task Deleted_events_stay_on_disk_until_the_task_has_passed_the_deletion()
    {
        await using var scene = await Scene.OpenAsync(tombstoneCleaning: TimeSpan.FromMilliseconds(1));
        await scene.AppendAsync("a", 1, "1", "2");
        var isDown = true;
        await scene.StartAsync(
            Task(),
            new RecordingSink(
                scene.Ledger,
                (own, delivery) =>
                {
                    if (isDown)
                        throw new SinkException(SinkFault.Sink, "Down.");
                    own.ReceiveRest(delivery);
                }
            )
        );
        scene.Task.RunStep();
        // Although it does not send deletions, it is woken by them: its position is to pass them.
        Assert.Equal(Jackdaw.Documents.Watching.ChangeKinds.All, scene.Task.Wants("@events"));
        await scene.DeleteEventsAsync("a", 2);
        // Nobody else wants this one: when its rows are gone, the cleaning has come by.
        await scene.PutAsync("other/1", "{}", "Others");
        await scene.DeleteAsync("other/1");
        await Eventually.IsAsync(() => scene.Database.Statistics().TombstoneCount == 0);
        Assert.Equal(2, EventsOnDisk(scene));

        isDown = false;
        scene.RunToRest();
        Assert.Equal(["a", "a"], scene.Ledger.Select(received => received.Message.Event.Subject));
        await Eventually.IsAsync(() =>
        {
            scene.RunToRest();
            return EventsOnDisk(scene) == 0;
        });
    }

    [Fact]
    public async Task A_dead_letter_of_an_event_is_retried_in_its_place_and_superseded_when_the_event_is_deleted()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.AppendAsync("a", 1, "1");
        await scene.AppendAsync("b", 1, "2");
        var refuses = true;
        RecordingSink Sink() =>
            new(
                scene.Ledger,
                (own, delivery) =>
                {
                    for (int i = 0; i < delivery.Messages.Count; i++)
                    {
                        if (delivery.IsSettled(i))
                            continue;
                        if (refuses)
                        {
                            delivery.Try(i);
                            delivery.Reject(i, "Too sour.");
                            continue;
                        }
                        own.Receive(delivery, i);
                        delivery.Confirm(i);
                    }
                }
            );
        await scene.StartAsync(Task() with { MaxFailedShare = 1 }, Sink());
        scene.RunToRest();
        Assert.Equal(2, scene.DeadLetters().Length);
        await scene.DeleteEventsAsync("b", 1);
        refuses = false;

        Assert.Equal((1, 1), RetryTests.Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded) : default);
        Assert.Equal("a a 1 @events/1", Shown(Assert.Single(scene.Ledger)));
        Assert.Contains("The event is deleted.", Assert.Single(scene.DeadLetters()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_webhook_gets_the_events_of_each_stream_in_order()
    {
        await using var endpoint = new WebhookEndpoint(
            (_, context) =>
            {
                context.Response.StatusCode = (int)HttpStatusCode.NoContent;
                return System.Threading.Tasks.Task.CompletedTask;
            }
        );
        await using var scene = await Scene.OpenAsync();
        for (int n = 1; n <= 20; n++)
            await scene.AppendAsync($"actor-{n % 3}", n, $"{n}");
        await scene.StartAsync(
            Task(),
            new WebhookSink(
                new WebhookSettings
                {
                    Url = endpoint.Url,
                    Timeout = Eventually.Patience,
                    MaxConcurrency = 8,
                },
                scene.Clock
            )
        );
        scene.RunToRest();

        Assert.Equal(20, endpoint.Requests.Count);
        foreach (var stream in endpoint.Requests.GroupBy(request => request.Event.GetProperty("partitionkey").GetString()))
        {
            var numbers = stream.Select(request => request.Event.GetProperty("data").GetProperty("n").GetInt32()).ToArray();
            Assert.Equal(numbers.Order(), numbers);
            Assert.All(stream, request => Assert.Equal(stream.Key, request.Event.GetProperty("subject").GetString()));
        }
    }

    [Fact]
    public async Task A_task_begins_with_the_events_of_a_date()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.AppendAsync("a", 1, "1");
        await System.Threading.Tasks.Task.Delay(20);
        var since = DateTime.UtcNow;
        await scene.AppendAsync("a", 2, "2");
        await scene.StartAsync(Scene.Configuration(Scene.Transform(Script, "@events") with { Start = StartPosition.From(since) }));
        scene.RunToRest();

        Assert.Equal("a a 2 @events/1", Shown(Assert.Single(scene.Ledger)));
    }

    private static EtlTaskConfiguration Task() => Scene.Configuration(Scene.Transform(Script, "@events"));

    /// <summary>Subject, partition key, payload, and the id up to the stream's number.</summary>
    private static string Shown(Received received)
    {
        using var data = System.Text.Json.JsonDocument.Parse(received.Text);
        var id = data.RootElement.GetProperty("id").GetString()!;
        Assert.Equal(received.Message.Event.Subject, data.RootElement.GetProperty("stream").GetString());
        return $"{received.Message.Event.Subject} {received.Message.Event.PartitionKey} {data.RootElement.GetProperty("n")} {id[..id.LastIndexOf('/')]}";
    }

    private static long EventsOnDisk(Scene scene)
    {
        using var reader = scene.Database.OpenRead("test");
        return reader.Collection(EventsRoom.Collection)!.DocumentCount;
    }
}

using System.Net.Http.Json;
using Akka.Actor;
using Akka.Persistence;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>Events that cannot be stored, and events that cannot be read.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class BadEventTests(SharedServer server)
{
    [Fact]
    public async Task An_event_over_the_limit_is_rejected_with_the_limit_and_the_actor_goes_on()
    {
        await using var host = new ActorHost(server.NewConfiguration());
        var recorder = host.Recorder("one");
        await recorder.Ask<Written>(new Write("first"), Eventually.Patience);
        var rejected = await recorder.Ask<Rejected>(new Write(new string('x', 17 << 20)), Eventually.Patience);
        Assert.Equal(2, rejected.Number);
        Assert.Contains("the limit is 16", rejected.Why, StringComparison.Ordinal);
        Assert.Contains("Limits.MaxEventSizeInMb", rejected.Why, StringComparison.Ordinal);
        Assert.Equal(3, (await recorder.Ask<Written>(new Write("third"), Eventually.Patience)).Number);
        var recovered = await host.RecoverAsync("one");
        Assert.Equal(["first", "third"], recovered.All);
        Assert.Equal(3, recovered.Number);
    }

    [Fact]
    public async Task An_event_that_cannot_be_deserialised_fails_the_recovery_with_its_number_and_is_not_skipped()
    {
        var database = server.NewDatabase();
        await using var host = new ActorHost(PluginConfig.For(server.Url, database));
        var recorder = host.Recorder("some actor");
        await recorder.Ask<Written>(new Write("first"), Eventually.Patience);
        await recorder.GracefulStop(Eventually.Patience);
        await AppendUnreadableAsync(database);

        using var inbox = Inbox.Create(host.System);
        var journal = Persistence.Instance.Apply(host.System).JournalFor("");
        journal.Tell(new ReplayMessages(1, long.MaxValue, long.MaxValue, "some actor", inbox.Receiver));
        object answer;
        do answer = await inbox.ReceiveAsync(Eventually.Patience);
        while (answer is ReplayedMessage);
        var why = Assert.IsType<ReplayMessagesFailure>(answer).Cause.Message;
        Assert.Contains("some actor", why, StringComparison.Ordinal);
        Assert.Contains("2", why, StringComparison.Ordinal);
    }

    /// <summary>An event of a serializer that no actor system here has.</summary>
    private async Task AppendUnreadableAsync(string database)
    {
        using var client = new HttpClient();
        var group = new
        {
            stream = "some actor",
            first = 2,
            events = new[]
            {
                new
                {
                    payloadBase64 = "AQID",
                    serializer = 987654,
                    manifest = "unknown",
                },
            },
        };
        using var answer = await client.PostAsJsonAsync($"{server.Url}/databases/{database}/events", new { groups = new[] { group } });
        Assert.Contains("stored", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }
}

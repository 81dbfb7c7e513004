using Akka.Actor;
using Akka.Persistence;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>The highest number of an id is read while a write of that id is under way.</summary>
[Trait("Category", "Slow")]
public sealed class HighestNumberTests
{
    [Fact]
    public async Task The_highest_number_is_not_told_before_the_write_that_is_under_way_has_ended()
    {
        await using var server = await FaultyServer.StartAsync();
        const string Patient = """
            akka.persistence.journal.jackdaw.attempt-timeout = 100s
            akka.persistence.journal.jackdaw.repeat-for = 110s
            akka.persistence.journal.jackdaw.circuit-breaker.call-timeout = 120s
            """;
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database, Patient));
        var recorder = host.Recorder("one");
        await recorder.Ask<Written>(new Write("first"), Eventually.Patience);
        await host.Recorder("another").Ask<Texts>(new GetTexts(), Eventually.Patience);

        server.Proxy.HeldBeginning = "POST ";
        var second = recorder.Ask<Written>(new Write("second"), Eventually.Patience);
        await Eventually.IsAsync(() => server.Proxy.HeldRequests > 0);
        var highest = ReadHighestAsync(host, "one");
        // Ids without a write under way do not wait.
        Assert.Equal(0, await ReadHighestAsync(host, "another"));
        await Task.Delay(TimeSpan.FromSeconds(1));
        Assert.False(highest.IsCompleted);
        Assert.False(second.IsCompleted);

        server.Proxy.HeldBeginning = null;
        Assert.Equal(2, (await second).Number);
        Assert.Equal(2, await highest);
    }

    /// <summary>As a persistent actor does that starts: it asks for events that are not there, and is told the highest number.</summary>
    private static async Task<long> ReadHighestAsync(ActorHost host, string id)
    {
        using var inbox = Inbox.Create(host.System);
        var journal = Persistence.Instance.Apply(host.System).JournalFor("");
        journal.Tell(new ReplayMessages(100, long.MaxValue, long.MaxValue, id, inbox.Receiver));
        var answer = await inbox.ReceiveAsync(Eventually.Patience);
        return Assert.IsType<RecoverySuccess>(answer).HighestSequenceNr;
    }
}

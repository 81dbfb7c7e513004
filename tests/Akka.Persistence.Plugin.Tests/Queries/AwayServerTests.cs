using Akka;
using Akka.Actor;
using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Jackdaw.Actors.Tests.Faults;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Queries;

/// <summary>Queries while the server is away for longer than calls are repeated.</summary>
[Trait("Category", "Slow")]
public sealed class AwayServerTests
{
    /// <summary>Nobody looks for himself: a wake that is lost is a hang.</summary>
    private const string Impatient = """
        akka.persistence.journal.jackdaw.repeat-for = 500ms
        akka.persistence.query.journal.jackdaw.refresh-interval = 1h
        """;

    [Fact]
    public async Task Live_queries_wait_for_the_server_and_continue_and_current_ones_fail()
    {
        await using var server = await FaultyServer.StartAsync();
        await WriteAsync(server, "first", "green 1");
        await using var host = new ActorHost(
            PluginConfig.For(server.Url, FaultyServer.Database, $"{Impatient}\n{GreenTagger.Configuration}")
        );
        using var materializer = host.System.Materializer();
        var journal = host.System.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);
        var everything = Probe(journal.AllEvents(Offset.NoOffset()).Select(Text), materializer);
        var green = Probe(journal.EventsByTag("green", Offset.NoOffset()).Select(Text), materializer);
        var ofOne = Probe(journal.EventsByPersistenceId("first", 0, 2).Select(Text), materializer);
        var ids = Probe(journal.PersistenceIds(), materializer);
        foreach (var query in new[] { everything, green, ofOne })
            Assert.Equal("green 1", await NextAsync(query));
        Assert.Equal("first", await NextAsync(ids));

        await server.KillAsync();
        var current = journal.CurrentAllEvents(Offset.NoOffset()).RunWith(Sink.Seq<EventEnvelope>(), materializer);
        var error = await Assert.ThrowsAnyAsync<Exception>(() => current.WaitAsync(Eventually.Patience));
        Assert.Contains("did not answer to the reading of all events within 0.5 s", error.ToString(), StringComparison.Ordinal);
        Task<string>[] next = [NextAsync(everything), NextAsync(green), NextAsync(ofOne), NextAsync(ids)];
        // Some times longer than a call is repeated.
        await Task.Delay(TimeSpan.FromSeconds(3));
        Assert.DoesNotContain(next, one => one.IsCompleted);
        await server.RestartAsync();
        await WriteAsync(server, "first", "green 2");
        await WriteAsync(server, "second", "red");

        Assert.Equal(["green 2", "green 2", "green 2", "second"], await Task.WhenAll(next));
        Assert.Equal("red", await NextAsync(everything));
        // The query ends behind its last number.
        await Assert.ThrowsAnyAsync<Exception>(() => NextAsync(ofOne));
    }

    private static string Text(EventEnvelope envelope) => (string)envelope.Event;

    private static ISinkQueue<string> Probe(Source<string, NotUsed> source, IMaterializer materializer) =>
        source.RunWith(Sink.Queue<string>(), materializer);

    private static async Task<string> NextAsync(ISinkQueue<string> query)
    {
        var pulled = await query.PullAsync().WaitAsync(Eventually.Patience);
        return pulled.HasValue ? pulled.Value : throw new InvalidOperationException("The query has ended.");
    }

    /// <summary>Writes by an actor system of its own, so that the queries hear of it from the server alone.</summary>
    private static async Task WriteAsync(FaultyServer server, string id, string text)
    {
        await using var host = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database, GreenTagger.Configuration));
        await host.Recorder(id).Ask<Written>(new Write(text), Eventually.Patience);
    }
}

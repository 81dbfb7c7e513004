using Akka;
using Akka.Actor;
using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Queries;

/// <summary>Queries while 32 actors write as fast as they can: no gap, no duplicate, and one order.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class ConcurrentWritersTests(SharedServer server)
{
    private const int Writers = 32;
    private const int EventsOfEach = 100;
    private const int All = Writers * EventsOfEach;

    /// <summary>Live queries do not look for themselves: a wake that is lost is a hang.</summary>
    private const string Unasked = "akka.persistence.query.journal.jackdaw.refresh-interval = 1h";

    [Fact]
    public async Task Live_queries_give_every_event_once_and_in_the_order_of_positions()
    {
        await using var host = new ActorHost(server.NewConfiguration($"{GreenTagger.Configuration}\n{Unasked}"));
        using var materializer = host.System.Materializer();
        var journal = host.System.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);
        Task<IReadOnlyList<EventEnvelope>> TakeAsync(Source<EventEnvelope, NotUsed> events, int count) =>
            CollectAsync(events, count, materializer);

        var everything = TakeAsync(journal.AllEvents(Offset.NoOffset()), All);
        var green = TakeAsync(journal.EventsByTag("green", Offset.NoOffset()), All / 2);
        Task<IReadOnlyList<EventEnvelope>>[] ofWriters =
        [
            .. Enumerable
                .Range(0, Writers)
                .Select(i => TakeAsync(journal.EventsByPersistenceId($"writer-{i}", 0, long.MaxValue), EventsOfEach)),
        ];
        var ids = journal.PersistenceIds().Take(Writers).RunWith(Sink.Seq<string>(), materializer);

        var writing = Task.WhenAll(Enumerable.Range(0, Writers).Select(i => WriteAsync(host, $"writer-{i}")));
        // A query that begins in the middle has exactly what follows its offset.
        var middle = (await TakeAsync(journal.AllEvents(Offset.NoOffset()), All / 3))[^1].Offset;
        var rest = TakeAsync(journal.AllEvents(middle), All - All / 3);
        await writing;

        var all = await everything;
        VerifyOrder(all);
        var current = await CollectAsync(journal.CurrentAllEvents(Offset.NoOffset()), int.MaxValue, materializer);
        Assert.Equal(Keys(current), Keys(all));
        Assert.Equal(Keys(all).Skip(All / 3), Keys(await rest));
        Assert.Equal(Keys(all.Where(IsGreen)), Keys(await green));
        Assert.All(await green, one => Assert.Contains("green", one.Tags));
        for (var i = 0; i < Writers; i++)
            Assert.Equal(Keys(all.Where(one => one.PersistenceId == $"writer-{i}")), Keys(await ofWriters[i]));
        Assert.Equal(
            Enumerable.Range(0, Writers).Select(i => $"writer-{i}").Order(StringComparer.Ordinal),
            (await ids.WaitAsync(Eventually.Patience)).Order(StringComparer.Ordinal)
        );
    }

    private static async Task<IReadOnlyList<EventEnvelope>> CollectAsync(
        Source<EventEnvelope, NotUsed> events,
        int count,
        IMaterializer materializer
    ) => await events.Take(count).RunWith(Sink.Seq<EventEnvelope>(), materializer).WaitAsync(Eventually.Patience);

    private static async Task WriteAsync(ActorHost host, string id)
    {
        var recorder = host.Recorder(id);
        for (var n = 1; n <= EventsOfEach; n++)
            recorder.Tell(new Write(n % 2 == 0 ? $"green {n}" : $"{n}"));
        Assert.Equal(EventsOfEach, (await recorder.Ask<Texts>(new GetTexts(), Eventually.Patience)).Number);
    }

    private static void VerifyOrder(IReadOnlyList<EventEnvelope> events)
    {
        Assert.Equal(All, events.Count);
        for (var i = 1; i < events.Count; i++)
            Assert.True(events[i].Offset.CompareTo(events[i - 1].Offset) > 0, $"{events[i].Offset} follows {events[i - 1].Offset}.");
        foreach (var ofOne in events.GroupBy(one => one.PersistenceId))
            Assert.Equal(Enumerable.Range(1, EventsOfEach).Select(n => (long)n), ofOne.Select(one => one.SequenceNr));
    }

    private static bool IsGreen(EventEnvelope one) => ((string)one.Event).StartsWith("green", StringComparison.Ordinal);

    private static IEnumerable<(string, long, Offset)> Keys(IEnumerable<EventEnvelope> events) =>
        events.Select(one => (one.PersistenceId, one.SequenceNr, one.Offset));
}

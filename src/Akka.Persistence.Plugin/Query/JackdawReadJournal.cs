using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Jackdaw.Connections;
using Akka.Persistence.Jackdaw.Mapping;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>
/// Queries of the events in a Jackdaw database. Offsets are <see cref="Sequence"/>: the position of an event in the order of commits. They
/// are exclusive, and no event with a lower one appears later. A query reads pages while there is demand; a live one is woken when
/// something was stored, by one connection that all queries of the process share.
/// </summary>
/// <remarks>
/// A current query fails when the server does not answer for as long as the journal's <c>repeat-for</c> says. A live query waits for the
/// server, logs a warning, and continues. Any query fails when an event cannot be deserialised, and when the database was replaced by
/// another one.
/// </remarks>
public sealed class JackdawReadJournal
    : IPersistenceIdsQuery,
        ICurrentPersistenceIdsQuery,
        IEventsByPersistenceIdQuery,
        ICurrentEventsByPersistenceIdQuery,
        IEventsByTagQuery,
        ICurrentEventsByTagQuery,
        IAllEventsQuery,
        ICurrentAllEventsQuery
{
    /// <summary>The section of the configuration.</summary>
    public const string Identifier = "akka.persistence.query.journal.jackdaw";

    private readonly EventPages _events;
    private readonly IdPages _ids;

    internal JackdawReadJournal(ExtendedActorSystem system, Config config)
    {
        var settings = QuerySettings.Read(system, config);
        var client = SharedClients.Of(system).Get(settings.Journal, settings.JournalPath);
        var outages = new Outages(Logging.GetLogger(system, typeof(JackdawReadJournal)));
        var envelopes = new EventEnvelopes(system, settings.JournalPath, new EventMapping(system, null));
        _events = new EventPages(client, settings, envelopes, outages);
        _ids = new IdPages(client, settings, outages);
    }

    /// <summary>The defaults of this section and of the plug-ins' sections.</summary>
    public static Config DefaultConfiguration() => JackdawPersistence.DefaultConfiguration();

    /// <summary>Gives each persistence id once, in the order of first events, and new ones as they come.</summary>
    public Source<string, NotUsed> PersistenceIds() => Ahead(() => _ids.LiveAsync());

    /// <summary>Gives each persistence id that is there now, once.</summary>
    public Source<string, NotUsed> CurrentPersistenceIds() => Ahead(() => _ids.CurrentAsync());

    /// <summary>Gives the events of an id in their order, and new ones as they come; ends after <paramref name="toSequenceNr"/>.</summary>
    public Source<EventEnvelope, NotUsed> EventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        Ahead(() => _events.OfStreamAsync(persistenceId, fromSequenceNr, toSequenceNr, isLive: true));

    /// <summary>Gives the events of an id that are there now, in their order.</summary>
    public Source<EventEnvelope, NotUsed> CurrentEventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        Ahead(() => _events.OfStreamAsync(persistenceId, fromSequenceNr, toSequenceNr, isLive: false));

    /// <summary>Gives the events with a tag after an offset, in the order of commits, and new ones as they come.</summary>
    public Source<EventEnvelope, NotUsed> EventsByTag(string tag, Offset offset) => ByPosition(tag, offset, isLive: true);

    /// <summary>Gives the events with a tag after an offset that are there now, in the order of commits.</summary>
    public Source<EventEnvelope, NotUsed> CurrentEventsByTag(string tag, Offset offset) => ByPosition(tag, offset, isLive: false);

    /// <summary>Gives all events after an offset, in the order of commits, and new ones as they come.</summary>
    public Source<EventEnvelope, NotUsed> AllEvents(Offset offset) => ByPosition(tag: null, offset, isLive: true);

    /// <summary>Gives all events after an offset that are there now, in the order of commits.</summary>
    public Source<EventEnvelope, NotUsed> CurrentAllEvents(Offset offset) => ByPosition(tag: null, offset, isLive: false);

    private Source<EventEnvelope, NotUsed> ByPosition(string? tag, Offset offset, bool isLive)
    {
        var after = offset switch
        {
            null or NoOffset => 0,
            Sequence sequence => sequence.Value,
            _ => throw new ArgumentException(
                $"Jackdaw counts offsets by {nameof(Sequence)}, not by {offset.GetType().Name}.",
                nameof(offset)
            ),
        };
        return Ahead(() => _events.ByPositionAsync(tag, after, isLive));
    }

    /// <summary>Looks one element ahead: a query that has given its last one ends without being asked for more.</summary>
    private static Source<T, NotUsed> Ahead<T>(Func<IAsyncEnumerable<T>> elements) =>
        Source.From(elements).Buffer(1, OverflowStrategy.Backpressure);
}

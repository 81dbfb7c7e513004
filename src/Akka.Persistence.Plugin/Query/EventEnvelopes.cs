using System.Runtime.Serialization;
using Akka.Actor;
using Akka.Persistence.Jackdaw.Mapping;
using Akka.Persistence.Journal;
using Akka.Persistence.Query;
using Jackdaw.EventStreams.Client.Reading;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>Makes envelopes of stored events: deserialised, and passed through the event adapters of their journal.</summary>
internal sealed class EventEnvelopes(ExtendedActorSystem system, string journalPath, EventMapping mapping)
{
    /// <summary>Asking for the adapters starts the journal, so it waits for the first event.</summary>
    private readonly Lazy<EventAdapters> _adapters = new(() => Persistence.Instance.Apply(system).AdaptersFor(journalPath));

    /// <summary>One stored event makes several envelopes when a read adapter splits it.</summary>
    /// <exception cref="SerializationException">It cannot be deserialised; the message names the event.</exception>
    public IEnumerable<EventEnvelope> Of(StoredEvent stored)
    {
        var payload = mapping.Deserialize(stored);
        var sequence = _adapters.Value.Get(payload.GetType()).FromJournal(payload, stored.AdapterManifest);
        return sequence.Events.Select(one => new EventEnvelope(
            new Sequence(stored.Position),
            stored.Stream,
            stored.Number,
            one,
            stored.Ticks,
            stored.Tags
        ));
    }
}

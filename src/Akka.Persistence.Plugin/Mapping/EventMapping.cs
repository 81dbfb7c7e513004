using System.Runtime.Serialization;
using Akka.Actor;
using Akka.Persistence.Journal;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Reading;

namespace Akka.Persistence.Jackdaw.Mapping;

/// <summary>Between Akka's representation of an event and the stored one. Serializer id, the serializer's manifest, the event adapter's
/// manifest, writer and ticks are kept apart and exact. May be used from any thread.</summary>
internal sealed class EventMapping(ExtendedActorSystem system, string? defaultSerializer)
{
    /// <summary>Serialises an atomic write. Whatever a serializer throws comes out of this: the write is known not to be stored.</summary>
    /// <param name="write">The write.</param>
    /// <param name="ticks">The time of events that have none.</param>
    public EventGroup ToGroup(AtomicWrite write, long ticks)
    {
        var representations = (IEnumerable<IPersistentRepresentation>)write.Payload;
        var events = new List<NewEvent>(write.Size);
        string? writer = null;
        foreach (var representation in representations)
        {
            writer ??= representation.WriterGuid ?? "";
            if (writer != (representation.WriterGuid ?? ""))
                throw new NotSupportedException(
                    $"The events from {write.LowestSequenceNr} of '{write.PersistenceId}' are one atomic write of several writers."
                );
            events.Add(ToEvent(representation, ticks));
        }
        return new EventGroup
        {
            First = write.LowestSequenceNr,
            Events = events,
            Writer = writer ?? "",
        };
    }

    /// <summary>Makes the representation of a stored event.</summary>
    /// <exception cref="SerializationException">It cannot be deserialised; the message names the event.</exception>
    public Persistent ToRepresentation(StoredEvent stored) =>
        new(
            Deserialize(stored),
            stored.Number,
            stored.Stream,
            stored.AdapterManifest,
            isDeleted: false,
            ActorRefs.NoSender,
            stored.Writer,
            stored.Ticks
        );

    /// <summary>Makes the payload of a stored event.</summary>
    /// <exception cref="SerializationException">It cannot be deserialised; the message names the event.</exception>
    public object Deserialize(StoredEvent stored)
    {
        if (stored.Serializer == 0)
            throw new SerializationException(
                $"Event {stored.Number} of '{stored.Stream}' was appended without a serializer, so no actor can read it."
            );
        try
        {
            return system.Serialization.Deserialize(stored.Payload, stored.Serializer, stored.Manifest);
        }
        catch (Exception e)
        {
            throw new SerializationException(
                $"Event {stored.Number} of '{stored.Stream}' cannot be deserialised (serializer {stored.Serializer}, manifest "
                    + $"'{stored.Manifest}'): {e.Message}",
                e
            );
        }
    }

    private NewEvent ToEvent(IPersistentRepresentation representation, long ticks)
    {
        var (payload, tags) = representation.Payload is Tagged tagged
            ? (tagged.Payload, tagged.Tags)
            : (representation.Payload, (IReadOnlyCollection<string>)[]);
        var serializer = system.Serialization.FindSerializerFor(payload, defaultSerializer);
        return new NewEvent
        {
            Payload = Akka.Serialization.Serialization.WithTransport(system, (serializer, payload), Serialize),
            Ticks = representation.Timestamp > 0 ? representation.Timestamp : ticks,
            Serializer = serializer.Identifier,
            Manifest = Akka.Serialization.Serialization.ManifestFor(serializer, payload) ?? "",
            AdapterManifest = representation.Manifest ?? "",
            Tags = tags,
        };
    }

    private static byte[] Serialize((Akka.Serialization.Serializer Serializer, object Payload) one) => one.Serializer.ToBinary(one.Payload);
}

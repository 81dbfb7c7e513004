using System.Collections.Concurrent;
using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Akka.Serialization;

namespace Jackdaw.Bench.Actors;

/// <summary>
/// A journal in memory that keeps events as bytes, made and read by the serializer that a durable journal of the same actor system would
/// use. What a durable journal costs beyond this is its own.
/// </summary>
internal sealed class SerializingMemoryJournal : AsyncWriteJournal
{
    private readonly ConcurrentDictionary<string, Kept> _streams = new();
    private readonly Serialization _serialization = ((ExtendedActorSystem)Context.System).Serialization;

    public override Task<long> ReadHighestSequenceNrAsync(string persistenceId, long fromSequenceNr, CancellationToken cancellationToken) =>
        Task.FromResult(_streams.TryGetValue(persistenceId, out Kept? kept) ? kept.Highest : 0);

    public override Task ReplayMessagesAsync(
        IActorContext context,
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr,
        long max,
        Action<IPersistentRepresentation> recoveryCallback
    )
    {
        if (!_streams.TryGetValue(persistenceId, out Kept? kept))
            return Task.CompletedTask;
        KeptEvent[] events = kept.Read(fromSequenceNr, toSequenceNr, max);
        foreach (KeptEvent one in events)
        {
            object payload = _serialization.Deserialize(one.Bytes, one.Serializer, one.Manifest);
            recoveryCallback(
                new Persistent(payload, one.Number, persistenceId, one.Manifest, false, ActorRefs.NoSender, one.Writer, one.Ticks)
            );
        }
        return Task.CompletedTask;
    }

    protected override Task<IImmutableList<Exception>> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages,
        CancellationToken cancellationToken
    )
    {
        foreach (AtomicWrite write in messages)
        {
            Kept kept = _streams.GetOrAdd(write.PersistenceId, _ => new Kept());
            foreach (IPersistentRepresentation one in (IEnumerable<IPersistentRepresentation>)write.Payload)
            {
                Serializer serializer = _serialization.FindSerializerFor(one.Payload);
                string manifest = Serialization.ManifestFor(serializer, one.Payload);
                kept.Add(
                    new KeptEvent(
                        one.SequenceNr,
                        serializer.ToBinary(one.Payload),
                        serializer.Identifier,
                        manifest,
                        one.WriterGuid,
                        DateTime.UtcNow.Ticks
                    )
                );
            }
        }
        return Task.FromResult<IImmutableList<Exception>>(null!);
    }

    protected override Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr, CancellationToken cancellationToken)
    {
        if (_streams.TryGetValue(persistenceId, out Kept? kept))
            kept.DeleteTo(toSequenceNr);
        return Task.CompletedTask;
    }

    private sealed record KeptEvent(long Number, byte[] Bytes, int Serializer, string Manifest, string Writer, long Ticks);

    private sealed class Kept
    {
        private readonly Lock _lock = new();
        private readonly List<KeptEvent> _events = [];

        public long Highest { get; private set; }

        public void Add(KeptEvent added)
        {
            lock (_lock)
            {
                _events.Add(added);
                Highest = added.Number;
            }
        }

        public KeptEvent[] Read(long from, long to, long max)
        {
            lock (_lock)
            {
                IEnumerable<KeptEvent> found = _events.Where(one => one.Number >= from && one.Number <= to);
                return [.. max < int.MaxValue ? found.Take((int)max) : found];
            }
        }

        public void DeleteTo(long number)
        {
            lock (_lock)
                _events.RemoveAll(one => one.Number <= number);
        }
    }
}

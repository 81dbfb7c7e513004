using System.Runtime.Serialization;
using Akka.Actor;
using StoredSnapshot = Jackdaw.EventStreams.Client.Snapshots.Snapshot;

namespace Akka.Persistence.Jackdaw.Snapshots;

/// <summary>Between a snapshot and its stored bytes. Times are kept to the tick.</summary>
internal sealed class SnapshotMapping(ExtendedActorSystem system, string? defaultSerializer)
{
    public StoredSnapshot ToSnapshot(SnapshotMetadata metadata, object snapshot)
    {
        var serializer = system.Serialization.FindSerializerFor(snapshot, defaultSerializer);
        return new StoredSnapshot
        {
            Stream = metadata.PersistenceId,
            Number = metadata.SequenceNr,
            Ticks = metadata.Timestamp.Ticks,
            Serializer = serializer.Identifier,
            Manifest = Akka.Serialization.Serialization.ManifestFor(serializer, snapshot) ?? "",
            Bytes = Akka.Serialization.Serialization.WithTransport(
                system,
                (serializer, snapshot),
                one => one.serializer.ToBinary(one.snapshot)
            ),
        };
    }

    /// <exception cref="SerializationException">It cannot be deserialised; the message names the snapshot.</exception>
    public SelectedSnapshot ToSelected(StoredSnapshot stored)
    {
        var metadata = new SnapshotMetadata(stored.Stream, stored.Number, new DateTime(stored.Ticks, DateTimeKind.Utc));
        try
        {
            var bytes =
                System.Runtime.InteropServices.MemoryMarshal.TryGetArray(stored.Bytes, out var segment)
                && segment.Offset == 0
                && segment.Count == segment.Array!.Length
                    ? segment.Array
                    : stored.Bytes.ToArray();
            return new SelectedSnapshot(metadata, system.Serialization.Deserialize(bytes, stored.Serializer, stored.Manifest));
        }
        catch (Exception e)
        {
            throw new SerializationException(
                $"Snapshot {stored.Number} of '{stored.Stream}' cannot be deserialised (serializer {stored.Serializer}, manifest "
                    + $"'{stored.Manifest}'): {e.Message}",
                e
            );
        }
    }
}

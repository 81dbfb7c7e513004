using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Deletes the events of a stream up to a number: one record, however many they are. The highest number of the stream stays. Deleting
/// what is deleted, or from a stream that does not exist, does nothing.
/// </summary>
public sealed class DeleteEventsOperation : RoomOperation
{
    private readonly byte[] _stream;
    private readonly long _upTo;

    /// <summary>Creates a deletion.</summary>
    /// <param name="stream">The stream's id, 1 to 1,000 bytes of UTF-8.</param>
    /// <param name="upTo">The last number that is deleted; <see cref="long.MaxValue"/>: all that are stored by now.</param>
    /// <exception cref="InvalidAppendException">The id is empty or too long, or the number is below 0.</exception>
    public DeleteEventsOperation(ReadOnlySpan<byte> stream, long upTo)
        : base(EventsRoom.Instance)
    {
        if (stream.Length is 0 or > Limits.MaxEventTextBytes)
            throw new InvalidAppendException(
                $"The stream id has {stream.Length:N0} bytes; a stream id has 1 to {Limits.MaxEventTextBytes:N0} (fixed)."
            );
        if (upTo < 0)
            throw new InvalidAppendException($"Events cannot be deleted up to {upTo}; numbers begin at 1.");
        _stream = stream.ToArray();
        _upTo = upTo;
    }

    /// <inheritdoc/>
    public override long SizeBytes => _stream.Length;

    /// <summary>The number up to which the stream's events are deleted now; 0: none is. A result.</summary>
    public long DeletedUpTo { get; private set; }

    /// <summary>The highest number of the stream, which stays; 0 for an unknown one. A result.</summary>
    public long Highest { get; private set; }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        DeletedUpTo = Highest = 0;
        if (EventTables.ToLook(writer) is not { } look || !look.TryGetStream(_stream, out long number, out var row))
            return;
        DeletedUpTo = row.DeletedUpTo;
        Highest = row.Highest;
        long to = Math.Min(_upTo, row.Highest);
        if (to <= row.DeletedUpTo)
            return;
        var tables = EventTables.ToChange(writer);
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        long from = row.DeletedUpTo + 1;
        long etags = DeletionRecord.EtagsFor(from, to, row.EventRows);
        long lastEtag = writer.NextEtags(etags);
        Schema.WriteEtagKey(lastEtag, key);
        var record = new DeletionRecord(number, from, to, writer.NowTicks, lastEtag - etags + 1);
        record.Write(tables.Deletions.Reserve(key, DeletionRecord.Bytes, out _));
        writer.ReachFaultPoint();
        row.DeletedUpTo = DeletedUpTo = to;
        if (writer.Planted == PlantedMergerFault.DeletionLowersHighest)
            row.Highest = row.DeletedUpTo == row.Highest ? 0 : row.Highest;
        tables.Update(number, row);
        EventsRoom.WriteLastDeletion(writer, lastEtag);
        writer.NoteEvents(ChangeKinds.Deletions);
    }
}

using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Removes the rows of deleted events from disk, a bounded number at a time.</summary>
internal static class DeletedEvents
{
    /// <summary>Whether a deletion may be removed, by its etag and time.</summary>
    public delegate bool Taker(long etag, long ticks);

    /// <summary>Deletions whose rows are not all removed.</summary>
    public static long Waiting(in RoomWriter writer) => EventTables.ToLook(writer) is { } tables ? tables.Deletions.EntryCount : 0;

    /// <summary>Removes rows in the order of deletions, and each deletion's record after its last row.</summary>
    /// <param name="writer">The room in the transaction.</param>
    /// <param name="takes">Whether a deletion may be removed.</param>
    /// <param name="removed">Told of each deletion that is gone.</param>
    /// <param name="atMost">Rows and records removed at most.</param>
    /// <returns>Rows and records removed.</returns>
    public static int Remove(in RoomWriter writer, Taker takes, Action<long, int> removed, int atMost)
    {
        if (EventTables.ToLook(writer) is not { } look)
            return 0;
        int count = 0;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        while (count < atMost && TryGetFirst(look, out long etag, out var record) && takes(etag, record.Ticks))
        {
            var tables = EventTables.ToChange(writer);
            int rows = RemoveRows(tables, record, writer, atMost - count);
            // At once, and not with the record: a consumer that comes by before the rest is removed misses these.
            if (rows > 0)
                removed(etag, rows);
            count += rows;
            if (count == atMost)
                break;
            Schema.WriteEtagKey(etag, key);
            tables.Deletions.Delete(key);
            count++;
        }
        return count;
    }

    private static bool TryGetFirst(EventTables tables, out long etag, out DeletionRecord record)
    {
        etag = 0;
        record = default;
        using var cursor = tables.Deletions.OpenCursor();
        if (!cursor.SeekFirst())
            return false;
        etag = Schema.ReadEtagKey(cursor.Key);
        record = DeletionRecord.Read(cursor.Value);
        return true;
    }

    private static int RemoveRows(EventTables tables, DeletionRecord record, in RoomWriter writer, int atMost)
    {
        Span<byte> first = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(record.StreamNumber, record.From, first);
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        // The digests that stay are copied once, at the end.
        byte[] digests = new byte[EventDigests.MaxBytes + (Math.Min(atMost, Limits.KeptEventDigests) * EventDigests.EntryBytes)];
        int used = ReadDigests(tables, record.StreamNumber, digests);
        int removed = 0;
        for (; removed < atMost; removed++)
        {
            using (var cursor = tables.Rows.OpenCursor(EventsRoom.RowsByStream))
            {
                if (
                    !cursor.Seek(first)
                    || !cursor.IndexKey.StartsWith(first[..EventsRoom.StreamKeyBytes])
                    || EventsRoom.ReadEventNumber(cursor.IndexKey) > record.To
                )
                    break;
                cursor.PrimaryKey.CopyTo(key);
                var row = cursor.Row;
                if (used + EventDigests.EntryBytes > digests.Length)
                    used = Shift(digests, used);
                EventDigests.WriteEntry(row, digests.AsSpan(used));
                used += EventDigests.EntryBytes;
                RemoveTags(tables, new EventRow(row), Schema.ReadEtagKey(key));
            }
            Invariant.Require(tables.Rows.Delete(key));
            writer.ReachFaultPoint();
        }
        if (removed > 0)
            WriteBack(tables, record.StreamNumber, removed, digests.AsSpan(0, used), writer);
        return removed;
    }

    private static int ReadDigests(EventTables tables, long streamNumber, Span<byte> destination)
    {
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(streamNumber, key);
        if (!tables.Digests.TryGet(key, out var entries))
            return 0;
        entries.CopyTo(destination);
        return entries.Length;
    }

    /// <summary>Drops all but the entries that are kept, less one for the next.</summary>
    private static int Shift(Span<byte> digests, int used)
    {
        int kept = EventDigests.MaxBytes - EventDigests.EntryBytes;
        digests.Slice(used - kept, kept).CopyTo(digests);
        return kept;
    }

    private static void RemoveTags(EventTables tables, EventRow row, long etag)
    {
        Span<byte> key = stackalloc byte[EventsRoom.TagKeyBytes];
        for (int i = 0; i < row.TagCount; i++)
        {
            EventsRoom.WriteTagKey(row.Tag(i), etag, key);
            tables.Tags.Delete(key);
        }
    }

    private static void WriteBack(EventTables tables, long streamNumber, int removed, ReadOnlySpan<byte> digests, in RoomWriter writer)
    {
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(streamNumber, key);
        if (writer.Planted != PlantedMergerFault.RemovedEventsForgotten)
            tables.Digests.Put(key, digests[Math.Max(0, digests.Length - EventDigests.MaxBytes)..]);
        Invariant.Require(tables.Streams.TryGet(key, out var stored));
        var row = StreamRow.Read(stored);
        row.EventRows -= removed;
        tables.Update(streamNumber, row);
    }
}

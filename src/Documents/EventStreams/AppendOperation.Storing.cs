using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Storing the groups that the plan lets in.</summary>
public sealed partial class AppendOperation
{
    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        if (Plan(EventTables.ToLook(writer), writer.Planted) == 0)
            return;
        var tables = EventTables.ToChange(writer);
        long lastStream = -1;
        foreach (var group in _groups)
        {
            if (group.Kind != PlannedGroupKind.New)
                continue;
            if (group.Planned.Number == 0)
            {
                if (lastStream < 0)
                    lastStream = ReadLastStream(tables);
                group.Planned.Number = ++lastStream;
                group.Planned.IsNew = true;
            }
            Store(group, tables, writer);
        }
        foreach (var group in _groups)
        {
            if (group.Kind == PlannedGroupKind.New && !group.Planned.IsWritten)
                Store(group.Planned, tables);
            if (group.Repeated is { } first)
                group.LastPosition = first.LastPosition - (first.LastNumber - group.LastNumber);
        }
        writer.NoteEvents(ChangeKinds.Documents);
    }

    private static long ReadLastStream(EventTables tables)
    {
        using var cursor = tables.Streams.OpenCursor();
        return cursor.SeekLast() ? EventsRoom.ReadStreamKey(cursor.Key) : 0;
    }

    private void Store(EventGroup group, EventTables tables, in RoomWriter writer)
    {
        int writerName = _names.Store(group.Writer, tables);
        Span<int> tags = stackalloc int[Limits.MaxEventTags];
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Span<byte> tagKey = stackalloc byte[EventsRoom.TagKeyBytes];
        for (int i = 0; i < group.Count; i++)
        {
            var sent = _events[group.FirstEvent + i];
            for (int tag = 0; tag < sent.TagCount; tag++)
                tags[tag] = _names.Store(_tags[sent.FirstTag + tag], tables);
            var ownTags = tags[..sent.TagCount];
            ownTags.Sort();
            var fields = new EventFields(
                sent.IsJson,
                sent.Serializer,
                sent.Ticks ?? writer.NowTicks,
                _names.Store(sent.Manifest, tables),
                _names.Store(sent.AdapterManifest, tables),
                writerName
            );
            long etag = writer.NextEtag();
            Schema.WriteEtagKey(etag, key);
            var row = tables.Rows.Reserve(key, EventRow.SizeOf(sent.TagCount, sent.PayloadBytes));
            EventRow.Write(row, group.Planned.Number, group.FirstNumber + i, fields, ownTags, PayloadOf(sent));
            tables.Rows.CompleteReservation();
            writer.ReachFaultPoint();
            foreach (int tag in ownTags)
            {
                if (writer.Planted == PlantedMergerFault.TagEntryForgotten)
                    break;
                EventsRoom.WriteTagKey(tag, etag, tagKey);
                tables.Tags.Put(tagKey, []);
            }
            group.LastPosition = etag;
        }
    }

    private void Store(PlannedStream stream, EventTables tables)
    {
        stream.Row.RenumberWriters(_names);
        var id = Text(stream.Id);
        Span<byte> row = stackalloc byte[StreamRow.HeaderBytes + Limits.MaxEventTextBytes];
        row = row[..(StreamRow.HeaderBytes + id.Length)];
        stream.Row.Write(id, row);
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(stream.Number, key);
        if (stream.IsNew)
            tables.Streams.Insert(key, row);
        else
            tables.Streams.Update(key, row);
        stream.IsWritten = true;
    }
}

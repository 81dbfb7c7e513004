using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The rules of event streams over sound tables: docs/event-streams.md, "Invariants".</summary>
internal sealed class EventsCheck
{
    private readonly EventTables _tables;
    private readonly Action<string> _report;
    private readonly long _lastEtag;
    private readonly Dictionary<long, List<(long From, long To)>> _hidden = [];
    private readonly long _lastDeletion;
    private long _tags;

    private EventsCheck(EventTables tables, long lastEtag, long lastDeletion, Action<string> report)
    {
        _lastDeletion = lastDeletion;
        _tables = tables;
        _lastEtag = lastEtag;
        _report = report;
    }

    public static void Run(RoomReader reader, Action<string> report)
    {
        if (EventTables.Of(reader) is not { } tables)
            return;
        var check = new EventsCheck(tables, reader.LastEtag, EventsRoom.ReadLastDeletion(reader), report);
        if (!check.CheckRows())
            return;
        check.CheckDeletions();
        check.CheckStreams();
        check.CheckTags();
        check.CheckDigests();
    }

    /// <summary>Each row by itself. False: rows are malformed, and what follows cannot read them.</summary>
    private bool CheckRows()
    {
        bool sound = true;
        using var cursor = _tables.Rows.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long etag = Schema.ReadEtagKey(cursor.Key);
            var value = cursor.Value;
            if (value.Length < EventRow.HeaderBytes || value[0] != EventRow.Version || !new EventRow(value).IsWellFormed)
            {
                _report($"event with etag {etag}: its row is malformed");
                sound = false;
                continue;
            }
            var row = new EventRow(value);
            string what = $"event {row.Number} of stream {row.StreamNumber} (etag {etag})";
            if (etag > _lastEtag)
                _report($"{what}: its etag is above the last one, {_lastEtag}");
            RequireName(row.Manifest, what, "manifest");
            RequireName(row.AdapterManifest, what, "adapter manifest");
            RequireName(row.Writer, what, "writer");
            CheckTags(row, etag, what);
        }
        return sound;
    }

    private void CheckTags(EventRow row, long etag, string what)
    {
        Span<byte> key = stackalloc byte[EventsRoom.TagKeyBytes];
        for (int i = 0; i < row.TagCount; i++)
        {
            _tags++;
            RequireName(row.Tag(i), what, "tag");
            if (row.Tag(i) == 0 || (i > 0 && row.Tag(i) <= row.Tag(i - 1)))
                _report($"{what}: its tags do not ascend");
            EventsRoom.WriteTagKey(row.Tag(i), etag, key);
            if (!_tables.Tags.Contains(key))
                _report($"{what}: its tag {row.Tag(i)} has no entry");
        }
    }

    private void CheckTags()
    {
        if (_tables.Tags.EntryCount != _tags)
            _report($"the events have {_tags} tags, and there are {_tables.Tags.EntryCount} entries of tags");
    }

    private void CheckStreams()
    {
        long rows = 0;
        using var cursor = _tables.Streams.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long number = EventsRoom.ReadStreamKey(cursor.Key);
            string id = ShownText.Of(Encoding.UTF8.GetString(StreamRow.IdOf(cursor.Value)));
            string what = $"stream {number} ('{id}')";
            var stream = StreamRow.Read(cursor.Value);
            if (stream.Highest < 1 || stream.DeletedUpTo < 0 || stream.DeletedUpTo > stream.Highest)
                _report($"{what}: its highest number is {stream.Highest}, and it is deleted up to {stream.DeletedUpTo}");
            CheckWriters(stream, what);
            long own = CheckEvents(number, stream, what);
            if (own != stream.EventRows)
                _report($"{what}: counts {stream.EventRows} events, and there are {own}");
            rows += own;
        }
        if (rows != _tables.Rows.EntryCount)
            _report($"the streams have {rows} events, and there are {_tables.Rows.EntryCount}");
    }

    private void CheckWriters(StreamRow stream, string what)
    {
        RequireName(stream.Writer, what, "writer");
        var known = new HashSet<int> { stream.Writer };
        for (int i = 0; i < stream.ReplacedCount; i++)
        {
            RequireName(stream.Replaced(i), what, "replaced writer");
            if (stream.Replaced(i) == 0 || !known.Add(stream.Replaced(i)))
                _report($"{what}: its writer {stream.Replaced(i)} is there twice, or is none");
        }
    }

    /// <summary>Returns how many there are.</summary>
    private long CheckEvents(long streamNumber, StreamRow stream, string what)
    {
        long count = 0;
        long lastEtag = 0;
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        // A number below 0 would come last in the order of bytes.
        EventsRoom.WriteEventKey(streamNumber, 0, key);
        using var cursor = _tables.Rows.OpenCursor(EventsRoom.RowsByStream);
        for (
            bool found = cursor.Seek(key);
            found && EventsRoom.ReadStreamKey(cursor.IndexKey) == streamNumber;
            found = cursor.MoveNext(), count++
        )
        {
            long number = EventsRoom.ReadEventNumber(cursor.IndexKey);
            long etag = Schema.ReadEtagKey(cursor.PrimaryKey);
            if (number < 1 || number > stream.Highest)
                _report($"{what}: has event {number}, and its highest number is {stream.Highest}");
            if (etag <= lastEtag)
                _report($"{what}: event {number} has the etag {etag}, not above that of the event before it, {lastEtag}");
            if (number <= stream.DeletedUpTo && !IsCovered(streamNumber, number))
                _report($"{what}: event {number} is deleted, and no deletion waits for its row");
            lastEtag = etag;
        }
        return count;
    }

    private bool IsCovered(long streamNumber, long number) =>
        _hidden.TryGetValue(streamNumber, out var ranges) && ranges.Exists(range => range.From <= number && number <= range.To);

    private void CheckDeletions()
    {
        long before = 0;
        if (_lastDeletion > _lastEtag)
            _report($"the last deletion has the etag {_lastDeletion}, above the last etag, {_lastEtag}");
        using var cursor = _tables.Deletions.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long etag = Schema.ReadEtagKey(cursor.Key);
            if (!DeletionRecord.IsWellFormed(cursor.Value))
            {
                _report($"the deletion with etag {etag} is malformed");
                continue;
            }
            var record = DeletionRecord.Read(cursor.Value);
            if (!_hidden.TryGetValue(record.StreamNumber, out var ranges))
                _hidden.Add(record.StreamNumber, ranges = []);
            ranges.Add((record.From, record.To));
            if (etag > _lastDeletion)
                _report($"the deletion with etag {etag} is above the last deletion, {_lastDeletion}");
            if (record.FirstEtag <= before || record.FirstEtag > etag || etag - record.FirstEtag > record.To - record.From)
                _report($"the deletion with etag {etag} begins with the etag {record.FirstEtag}");
            before = etag;
            if (
                !TryGetStream(record.StreamNumber, out var stream)
                || record.From < 1
                || record.From > record.To
                || record.To > stream.DeletedUpTo
            )
                _report(
                    $"the deletion with etag {etag} hides events {record.From} to {record.To} of stream {record.StreamNumber}, "
                        + "which does not say so"
                );
        }
    }

    private void CheckDigests()
    {
        using var cursor = _tables.Digests.OpenCursor();
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long number = EventsRoom.ReadStreamKey(cursor.Key);
            if (!EventDigests.IsWellFormed(cursor.Value) || !TryGetStream(number, out var stream))
            {
                _report($"the digests of stream {number} are malformed, or there is no such stream");
                continue;
            }
            var digests = new EventDigests(cursor.Value);
            for (int i = 0; i < digests.Count; i++)
            {
                EventsRoom.WriteEventKey(number, digests.Number(i), key);
                if (
                    digests.Number(i) > stream.DeletedUpTo
                    || (i > 0 && digests.Number(i) <= digests.Number(i - 1))
                    || _tables.Rows.TryGetByIndex(EventsRoom.RowsByStream, key, out _, out _)
                )
                    _report($"the digest of event {digests.Number(i)} of stream {number} is out of place");
            }
        }
    }

    private bool TryGetStream(long number, out StreamRow stream)
    {
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(number, key);
        bool found = _tables.Streams.TryGet(key, out var row);
        stream = found ? StreamRow.Read(row) : default;
        return found;
    }

    private void RequireName(int name, string what, string part)
    {
        if (name == 0)
            return;
        Span<byte> key = stackalloc byte[EventsRoom.NameKeyBytes];
        EventsRoom.WriteNameKey(name, key);
        if (!_tables.Names.TryGet(key, out _))
            _report($"{what}: its {part} {name} is no name");
    }
}

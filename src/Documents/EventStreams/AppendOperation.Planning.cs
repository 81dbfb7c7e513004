using Jackdaw.Documents.Buffers;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The outcomes of all groups, computed before anything changes.</summary>
public sealed partial class AppendOperation
{
    private readonly NameNumbers _names;
    private readonly Dictionary<ByteRange, PlannedStream> _streams;

    /// <summary>Returns how many groups are to be stored.</summary>
    private int Plan(EventTables? tables, PlantedMergerFault planted)
    {
        _names.Begin(tables);
        _streams.Clear();
        foreach (var group in _groups)
        {
            group.LastPosition = 0;
            group.Repeated = null;
            group.Planned = StreamOf(group, tables);
            PlanGroup(group, tables, planted);
        }
        int stored = 0;
        foreach (var group in _groups)
        {
            // A refusal concerns the groups before it, too, unless they are on disk already.
            if (group.Planned.Refusal is { } refusal && group.Kind != PlannedGroupKind.RepeatsStored)
            {
                group.Kind = PlannedGroupKind.Refused;
                group.Outcome = refusal;
            }
            stored += group.Kind == PlannedGroupKind.New ? 1 : 0;
            group.Highest = group.Planned.Refusal is null ? group.Planned.Row.Highest : group.Planned.StoredHighest;
        }
        return stored;
    }

    private PlannedStream StreamOf(EventGroup group, EventTables? tables)
    {
        if (_streams.TryGetValue(group.Stream, out var known))
            return known;
        var stream = new PlannedStream();
        stream.Begin(group.Stream, tables, Text(group.Stream));
        _streams.Add(group.Stream, stream);
        return stream;
    }

    private void PlanGroup(EventGroup group, EventTables? tables, PlantedMergerFault planted)
    {
        var stream = group.Planned;
        group.Kind = PlannedGroupKind.Refused;
        if (planted != PlantedMergerFault.RepeatedEventsRefused && RepeatsStored(group, tables))
        {
            group.Kind = PlannedGroupKind.RepeatsStored;
            group.Outcome = AppendOutcome.Stored;
            return;
        }
        if (stream.Refusal is { } refusal)
        {
            group.Outcome = refusal;
            return;
        }
        if (RepeatsNew(group))
        {
            group.Kind = PlannedGroupKind.RepeatsNew;
            group.Outcome = AppendOutcome.Stored;
            return;
        }
        group.Outcome = Judge(group, planted);
        if (group.Outcome == AppendOutcome.Stored)
        {
            group.Kind = PlannedGroupKind.New;
            stream.Accept(group);
            stream.Row.Highest = group.LastNumber;
            stream.Row.EventRows += group.Count;
            if (_names.Of(group.Writer) is var writer and not 0 && writer != stream.Row.Writer)
                stream.Row.SetWriter(writer);
        }
        else if (group.Outcome != AppendOutcome.TooLarge)
        {
            stream.Refusal = group.Outcome;
        }
    }

    /// <summary>Of a group that repeats nothing.</summary>
    private AppendOutcome Judge(EventGroup group, PlantedMergerFault planted)
    {
        var stream = group.Planned;
        if (
            !group.TakesOver
            && planted != PlantedMergerFault.ReplacedWriterLetIn
            && _names.Of(group.Writer) is var writer and not 0
            && stream.Row.IsReplaced(writer)
        )
            return AppendOutcome.Fenced;
        if (group.ExpectedLast is { } expected && expected != stream.Row.Highest)
            return AppendOutcome.Conflict;
        if (group.FirstNumber <= stream.Row.Highest)
            return AppendOutcome.Duplicate;
        return group.HasTooLarge ? AppendOutcome.TooLarge : AppendOutcome.Stored;
    }

    /// <summary>Is each event of the group stored, or was it, with everything that it has here?</summary>
    private bool RepeatsStored(EventGroup group, EventTables? tables)
    {
        var stream = group.Planned;
        if (tables is not { } stored || stream.Number == 0 || group.LastNumber > stream.StoredHighest)
            return false;
        // The last one first: of a group whose older digests are gone it must be known.
        for (int i = group.Count - 1; i >= 0; i--)
        {
            if (!IsStored(group, i, stored))
                return false;
        }
        return true;
    }

    private bool IsStored(EventGroup group, int i, EventTables tables)
    {
        var stream = group.Planned;
        long number = group.FirstNumber + i;
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(stream.Number, number, key);
        if (tables.Rows.TryGetByIndex(EventsRoom.RowsByStream, key, out var etag, out var row))
        {
            if (i == group.Count - 1)
                group.LastPosition = Layout.Schema.ReadEtagKey(etag);
            bool isSame = IsSame(group, _events[group.FirstEvent + i], new EventRow(row));
            if (!isSame)
                group.LastPosition = 0;
            return isSame;
        }
        return number <= stream.StoredDeletedUpTo && WasStored(group, i, number, tables);
    }

    private bool WasStored(EventGroup group, int i, long number, EventTables tables)
    {
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(group.Planned.Number, key);
        if (!tables.Digests.TryGet(key, out var value))
            return false;
        var digests = new EventDigests(value);
        int entry = digests.Find(number);
        if (entry < 0)
            return i < group.Count - 1 && digests.IsFull && number < digests.Number(0);
        var sent = _events[group.FirstEvent + i];
        if (sent.Ticks is { } ticks && ticks != digests.Ticks(entry))
            return false;
        Span<int> tags = stackalloc int[Limits.MaxEventTags];
        tags = tags[..TagsOf(sent, tags)];
        var fields = FieldsOf(group, sent, 0);
        if (fields.Manifest < 0 || fields.AdapterManifest < 0 || fields.Writer < 0 || (tags.Length > 0 && tags[0] < 0))
            return false;
        byte[] row = new byte[EventRow.SizeOf(tags.Length, sent.PayloadBytes)];
        EventRow.Write(row, 0, 0, fields, tags, PayloadOf(sent));
        Span<byte> digest = stackalloc byte[EventRow.DigestBytes];
        EventRow.WriteDigest(row, digest);
        return digest.SequenceEqual(digests.Digest(entry));
    }

    private bool IsSame(EventGroup group, in AppendedEvent sent, EventRow stored)
    {
        if (sent.Ticks is { } ticks && ticks != stored.Ticks)
            return false;
        if (sent.TagCount != stored.TagCount || !PayloadOf(sent).SequenceEqual(stored.Payload))
            return false;
        if (FieldsOf(group, sent, stored.Ticks) != stored.Fields)
            return false;
        Span<int> tags = stackalloc int[Limits.MaxEventTags];
        tags = tags[..TagsOf(sent, tags)];
        for (int i = 0; i < tags.Length; i++)
        {
            if (tags[i] != stored.Tag(i))
                return false;
        }
        return true;
    }

    /// <summary>Is each event of the group among those that this append stores?</summary>
    private bool RepeatsNew(EventGroup group)
    {
        if (group.Planned.AcceptedWith(group.LastNumber) is not { } last)
            return false;
        for (int i = group.Count - 1; i >= 0; i--)
        {
            long number = group.FirstNumber + i;
            if (group.Planned.AcceptedWith(number) is not { } other || _names.Of(other.Writer) != _names.Of(group.Writer))
                return false;
            if (!IsSame(_events[group.FirstEvent + i], _events[other.FirstEvent + (int)(number - other.FirstNumber)]))
                return false;
        }
        group.Repeated = last;
        return true;
    }

    private bool IsSame(in AppendedEvent repeated, in AppendedEvent first)
    {
        if (
            (repeated.Ticks is not null && repeated.Ticks != first.Ticks)
            || repeated.IsJson != first.IsJson
            || repeated.Serializer != first.Serializer
            || repeated.TagCount != first.TagCount
            || _names.Of(repeated.Manifest) != _names.Of(first.Manifest)
            || _names.Of(repeated.AdapterManifest) != _names.Of(first.AdapterManifest)
            || !PayloadOf(repeated).SequenceEqual(PayloadOf(first))
        )
            return false;
        Span<int> tags = stackalloc int[Limits.MaxEventTags];
        Span<int> firstTags = stackalloc int[Limits.MaxEventTags];
        return tags[..TagsOf(repeated, tags)].SequenceEqual(firstTags[..TagsOf(first, firstTags)]);
    }

    private EventFields FieldsOf(EventGroup group, in AppendedEvent sent, long ticks) =>
        new(sent.IsJson, sent.Serializer, ticks, _names.Of(sent.Manifest), _names.Of(sent.AdapterManifest), _names.Of(group.Writer));

    /// <summary>The numbers of an event's tags, ascending; returns how many.</summary>
    private int TagsOf(in AppendedEvent sent, Span<int> tags)
    {
        for (int i = 0; i < sent.TagCount; i++)
            tags[i] = _names.Of(_tags[sent.FirstTag + i]);
        tags[..sent.TagCount].Sort();
        return sent.TagCount;
    }
}

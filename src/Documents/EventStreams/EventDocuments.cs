using System.Runtime.InteropServices;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Events as documents of the collection <c>@events</c>, in one transaction: docs/event-streams.md, "Events as documents". They are made
/// on the thread that reads them.
/// </summary>
internal sealed class EventDocuments : IPresentedDocuments
{
    /// <summary>Rows that are stepped over to tell how many are hidden.</summary>
    private const int MostCounted = 4096;

    private readonly RoomReader _room;
    private readonly EventTables? _tables;
    private readonly EventStreamsReader _reader;
    private readonly ChangeVectorHistory _changeVectors;
    private readonly List<IDisposable> _cursors = [];

    public EventDocuments(RoomReader room, ChangeVectorHistory changeVectors)
    {
        _room = room;
        _tables = EventTables.Of(room);
        _reader = new EventStreamsReader(room);
        _changeVectors = changeVectors;
    }

    public CollectionStatistics Statistics =>
        new(CollectionNames.EventsText, _tables?.Rows.EntryCount ?? 0, 0, 0, LastWritten, EventsRoom.ReadLastDeletion(_room));

    public long LastChange => Math.Max(LastWritten, EventsRoom.ReadLastDeletion(_room));

    public long? Count
    {
        get
        {
            if (_tables is not { } tables)
                return 0;
            var hidden = CountDeleted(0, MostCounted);
            return hidden.IsExact ? tables.Rows.EntryCount - hidden.Count : null;
        }
    }

    private long LastWritten
    {
        get
        {
            if (_tables is not { } tables)
                return 0;
            using var cursor = tables.Rows.OpenCursor();
            return cursor.SeekLast() ? Schema.ReadEtagKey(cursor.Key) : 0;
        }
    }

    public bool TryGet(scoped ReadOnlySpan<byte> lowerId, bool deletedToo, out Document document)
    {
        document = default;
        if (_tables is not { } tables || !EventDocumentId.TryRead(lowerId, out long stream, out long number))
            return false;
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(stream, number, key);
        if (!tables.Rows.TryGetByIndex(EventsRoom.RowsByStream, key, out var etag, out var row))
            return false;
        if (!deletedToo && number <= _reader.DeletedUpTo(stream))
            return false;
        // In memory of its own: it stays as it is while others are asked for.
        var lasting = MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(row), row.Length);
        document = new EventDocument(_changeVectors).Make(new StoredEvent(Schema.ReadEtagKey(etag), new EventRow(lasting), _reader));
        return true;
    }

    public IPresentedCursor ByEtag(long afterEtag) => new EventEtagCursor(_reader.OpenAll(afterEtag), new EventDocument(_changeVectors));

    public IPresentedCursor ById(ReadOnlySpan<byte> lowerPrefix, ReadOnlySpan<byte> lowerStart, bool isDescending)
    {
        var none = new EventEtagCursor(null, new EventDocument(_changeVectors));
        if (_tables is not { } tables || !EventDocumentId.TryReadStream(lowerPrefix, out long root, out var rest))
            return none;
        long last = LastStream(tables);
        var streams = new StreamNumberWalk(root, last);
        (long From, long To) range = (0, long.MaxValue);
        if (!rest.IsEmpty)
        {
            if (rest[0] != (byte)'/' || !EventDocumentId.TryReadRange(rest[1..], out range.From, out range.To) || root > last)
                return none;
            streams = StreamNumberWalk.Only(root);
        }
        var cursor = new EventIdCursor(
            _reader,
            tables.Rows,
            streams,
            range,
            lowerStart.ToArray(),
            isDescending,
            new EventDocument(_changeVectors)
        );
        _cursors.Add(cursor);
        return cursor;
    }

    public IChangeSource Written(long afterEtag) => new EventEtagCursor(_reader.OpenAll(afterEtag), new EventDocument(_changeVectors));

    public IChangeSource Deleted(long afterEtag)
    {
        if (_tables is not { } tables)
            return new EventEtagCursor(null, new EventDocument(_changeVectors));
        var source = new EventDeletionSource(_reader, tables, _changeVectors, afterEtag);
        _cursors.Add(source);
        return source;
    }

    public CountedChanges CountWritten(long afterEtag, int atMost)
    {
        if (_tables is not { } tables)
            return new(0, IsExact: true);
        return DocumentsReader.Count(tables.Rows, null, [], EtagKey(afterEtag), tables.Rows.EntryCount, atMost);
    }

    public CountedChanges CountDeleted(long afterEtag, int atMost)
    {
        if (_tables is not { } tables)
            return new(0, IsExact: true);
        using var source = new EventDeletionSource(_reader, tables, _changeVectors, afterEtag);
        int counted = 0;
        while (counted < atMost && source.MoveNext())
            counted++;
        if (counted < atMost)
            return new(counted, IsExact: true);
        // The others: no more than there are etags for them, and rows.
        long others = EventsRoom.ReadLastDeletion(_room) - source.CurrentEtag;
        return new(counted + Math.Clamp(others, 0, Math.Max(0, tables.Rows.EntryCount - counted)), IsExact: others == 0);
    }

    public void Dispose()
    {
        foreach (var cursor in _cursors)
            cursor.Dispose();
        _cursors.Clear();
        _reader.Dispose();
    }

    private static byte[] EtagKey(long etag)
    {
        byte[] key = new byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(Math.Max(0, etag), key);
        return key;
    }

    private static long LastStream(EventTables tables)
    {
        using var cursor = tables.Streams.OpenCursor();
        return cursor.SeekLast() ? EventsRoom.ReadStreamKey(cursor.Key) : 0;
    }
}

using System.Runtime.InteropServices;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Event streams in one read transaction. Not thread-safe; valid until the reader that it comes from ends.</summary>
public sealed class EventStreamsReader : IDisposable
{
    private const int KeptNames = 4096;

    private readonly EventTables? _tables;
    private readonly Dictionary<int, byte[]> _names = [];
    private readonly List<EventCursor> _cursors = [];
    private byte[] _streamId = [];
    private long _streamNumber;
    private StreamRow _stream;

    /// <summary>Reads in a read transaction. Dispose of it before the reader.</summary>
    public EventStreamsReader(DocumentsReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        _tables = EventTables.Of(reader.Of(EventsRoom.Instance));
    }

    internal EventStreamsReader(RoomReader reader) => _tables = EventTables.Of(reader);

    /// <summary>Finds a stream; false when nothing was ever appended to it.</summary>
    /// <param name="id">UTF-8; its exact bytes.</param>
    /// <param name="stream">The stream.</param>
    public bool TryGetStream(ReadOnlySpan<byte> id, out StoredStream stream)
    {
        stream = default;
        if (_tables is not { } tables || !tables.TryGetStream(id, out long number, out var row))
            return false;
        stream = new StoredStream(number, row.Highest, row.DeletedUpTo);
        return true;
    }

    /// <summary>The events of a stream between two numbers, both included.</summary>
    /// <param name="stream">From <see cref="TryGetStream"/>.</param>
    /// <param name="from">The lowest number.</param>
    /// <param name="to">The highest number.</param>
    /// <param name="isBackward">From the highest to the lowest.</param>
    public EventCursor OpenStream(StoredStream stream, long from, long to, bool isBackward)
    {
        Invariant.Require(_tables is not null);
        return Track(
            new StreamEventCursor(this, _tables.Value.Rows, stream.Number, Math.Max(from, stream.DeletedUpTo + 1), to, isBackward)
        );
    }

    /// <summary>All events after a position, deleted ones too (<see cref="EventCursor.IsDeleted"/>); null: there is none yet.</summary>
    public EventCursor? OpenAll(long after) =>
        _tables is { } tables ? Track(new AllEventsCursor(this, tables.Rows, Math.Max(0, after))) : null;

    /// <summary>The events after a position that have at least one of some tags, deleted ones too; null: there is none.</summary>
    public EventCursor? OpenTagged(IEnumerable<byte[]> tags, long after) => OpenSelected([], tags, after);

    /// <summary>The events after a position that are in one of some streams or have at least one of some tags, deleted ones too; null:
    /// there is none.</summary>
    /// <param name="streams">Ids, UTF-8.</param>
    /// <param name="tags">UTF-8.</param>
    /// <param name="after">The position.</param>
    public EventCursor? OpenSelected(IEnumerable<byte[]> streams, IEnumerable<byte[]> tags, long after)
    {
        ArgumentNullException.ThrowIfNull(streams);
        ArgumentNullException.ThrowIfNull(tags);
        if (_tables is not { } tables)
            return null;
        var sources = new List<PositionSource>();
        foreach (byte[] id in streams.Distinct(ByteKeyComparer.Instance))
        {
            if (TryGetStream(id, out var stream))
                sources.Add(new StreamPositions(tables.Rows.OpenCursor(EventsRoom.RowsByStream), stream));
        }
        var numbers = tags.Where(tag => tag.Length is > 0 and <= Limits.MaxEventTextBytes)
            .Select(tag => tables.FindName(tag))
            .Where(number => number != 0);
        foreach (int tag in numbers.Distinct())
            sources.Add(new TagPositions(tables.Tags.OpenCursor(), tag));
        return Track(new SelectedEventsCursor(this, tables, sources, Math.Max(0, after)));
    }

    /// <summary>Deletions after a position; null: there is none.</summary>
    public EventDeletionCursor? OpenDeletions(long after) =>
        _tables is { } tables ? new EventDeletionCursor(tables.Deletions, Math.Max(0, after)) : null;

    /// <summary>Finds an event by its position; false when there is none, or it is deleted.</summary>
    /// <param name="position">The position.</param>
    /// <param name="stored">The event; valid until the reader ends.</param>
    public bool TryGet(long position, out StoredEvent stored)
    {
        stored = default;
        if (_tables is not { } tables)
            return false;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(position, key);
        if (!tables.Rows.TryGet(key, out var found))
            return false;
        // The row lies in page memory, whatever span it was looked up with.
        var row = new EventRow(MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(found), found.Length));
        if (row.Number <= DeletedUpTo(row.StreamNumber))
            return false;
        stored = new StoredEvent(position, row, this);
        return true;
    }

    /// <summary>The id of a stream that exists, UTF-8; valid until another one is asked for.</summary>
    public ReadOnlySpan<byte> IdOf(long streamNumber) => StreamId(streamNumber);

    /// <summary>Streams in the order of their first append.</summary>
    /// <param name="after">The number of the stream before the first one.</param>
    /// <param name="goesOn">Given each stream's number and id; false: that was the last one wanted.</param>
    /// <returns>True when there are no more.</returns>
    public bool Streams(long after, StreamVisitor goesOn)
    {
        ArgumentNullException.ThrowIfNull(goesOn);
        if (_tables is not { } tables || after == long.MaxValue)
            return true;
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(Math.Max(0, after) + 1, key);
        using var cursor = tables.Streams.OpenCursor();
        for (bool found = cursor.Seek(key); found; found = cursor.MoveNext())
        {
            if (!goesOn(EventsRoom.ReadStreamKey(cursor.Key), StreamRow.IdOf(cursor.Value)))
                return false;
        }
        return true;
    }

    /// <summary>Ends every cursor.</summary>
    public void Dispose()
    {
        foreach (var cursor in _cursors)
            cursor.Dispose();
        _cursors.Clear();
    }

    internal ReadOnlySpan<byte> StreamId(long number)
    {
        Load(number);
        return _streamId;
    }

    internal long DeletedUpTo(long number)
    {
        Load(number);
        return _stream.DeletedUpTo;
    }

    internal ReadOnlySpan<byte> Name(int number)
    {
        if (number == 0)
            return default;
        if (_names.TryGetValue(number, out byte[]? known))
            return known;
        Span<byte> key = stackalloc byte[EventsRoom.NameKeyBytes];
        EventsRoom.WriteNameKey(number, key);
        Invariant.Require(_tables!.Value.Names.TryGet(key, out var text));
        if (_names.Count >= KeptNames)
            _names.Clear();
        return _names[number] = text.ToArray();
    }

    private void Load(long number)
    {
        if (number == _streamNumber)
            return;
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(number, key);
        Invariant.Require(_tables!.Value.Streams.TryGet(key, out var row));
        _stream = StreamRow.Read(row);
        _streamId = StreamRow.IdOf(row).ToArray();
        _streamNumber = number;
    }

    private EventCursor Track(EventCursor cursor)
    {
        _cursors.Add(cursor);
        return cursor;
    }
}

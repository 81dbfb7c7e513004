using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The room's structures in one transaction. They are made together, at the first append.</summary>
internal readonly struct EventTables
{
    private EventTables(Table rows, Table streams, Table names, BTree tags, BTree deletions, BTree digests)
    {
        Rows = rows;
        Streams = streams;
        Names = names;
        Tags = tags;
        Deletions = deletions;
        Digests = digests;
    }

    public Table Rows { get; }

    public Table Streams { get; }

    public Table Names { get; }

    public BTree Tags { get; }

    public BTree Deletions { get; }

    public BTree Digests { get; }

    /// <summary>To read; null before the first append.</summary>
    public static EventTables? Of(RoomReader reader)
    {
        if (!reader.TryOpenTable(EventsRoom.Rows, out var rows))
            return null;
        bool all =
            reader.TryOpenTable(EventsRoom.Streams, out var streams)
            & reader.TryOpenTable(EventsRoom.Names, out var names)
            & reader.TryOpenTree(EventsRoom.TagsTree, out var tags)
            & reader.TryOpenTree(EventsRoom.DeletionsTree, out var deletions)
            & reader.TryOpenTree(EventsRoom.DigestsTree, out var digests);
        Invariant.Require(all);
        return new EventTables(rows, streams!, names!, tags!, deletions!, digests!);
    }

    /// <summary>To look before changing anything; null before the first append.</summary>
    public static EventTables? ToLook(in RoomWriter writer) => Of(writer.Look());

    /// <summary>To change; made when they are not there.</summary>
    public static EventTables ToChange(in RoomWriter writer)
    {
        var tables = new EventTables(
            writer.OpenTable(EventsRoom.Rows),
            writer.OpenTable(EventsRoom.Streams),
            writer.OpenTable(EventsRoom.Names),
            writer.OpenTree(EventsRoom.TagsTree),
            writer.OpenTree(EventsRoom.DeletionsTree),
            writer.OpenTree(EventsRoom.DigestsTree)
        );
        // A table's trees are made when they are first used. Events without any text would leave readers without the table of texts.
        Use(tables.Names, EventsRoom.NamesByText);
        return tables;
    }

    /// <summary>Finds a stream by its id.</summary>
    public bool TryGetStream(ReadOnlySpan<byte> id, out long number, out StreamRow stream)
    {
        number = 0;
        stream = default;
        if (id.IsEmpty || id.Length > Limits.MaxEventTextBytes)
            return false;
        if (!Streams.TryGetByIndex(EventsRoom.StreamsById, id, out var key, out var row))
            return false;
        number = EventsRoom.ReadStreamKey(key);
        stream = StreamRow.Read(row);
        return true;
    }

    /// <summary>Changes what a stream's row says; its id stays.</summary>
    public void Update(long number, in StreamRow stream)
    {
        Span<byte> key = stackalloc byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(number, key);
        Invariant.Require(Streams.TryGet(key, out var stored));
        Span<byte> row = stackalloc byte[StreamRow.HeaderBytes + Limits.MaxEventTextBytes];
        row = row[..stored.Length];
        stream.Write(StreamRow.IdOf(stored), row);
        Streams.Update(key, row);
    }

    /// <summary>The number of a text; 0 when there is none.</summary>
    public int FindName(ReadOnlySpan<byte> text) =>
        Names.TryGetByIndex(EventsRoom.NamesByText, text, out var key, out _) ? EventsRoom.ReadNameKey(key) : 0;

    private static void Use(Table table, TableIndex index)
    {
        _ = table.EntryCount;
        table.OpenCursor(index).Dispose();
    }
}

using System.Buffers.Binary;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The room of event streams: its tables and trees. Layouts: docs/event-streams.md, "On disk".</summary>
public sealed class EventsRoom : Room
{
    internal const string TagsTree = "events/tags";
    internal const string DeletionsTree = "events/deletions";
    internal const string DigestsTree = "events/digests";

    private const string LastDeletionName = "events/last-deletion";

    internal const int StreamKeyBytes = 8;
    internal const int EventKeyBytes = 16;
    internal const int NameKeyBytes = 4;
    internal const int TagKeyBytes = 12;

    internal static readonly TableSchema Rows = new("events/rows");

    internal static readonly TableIndex RowsByStream = Rows.AddIndex(
        "stream",
        isUnique: true,
        static (row, _, destination) =>
        {
            var read = new EventRow(row);
            WriteEventKey(read.StreamNumber, read.Number, destination);
            return EventKeyBytes;
        }
    );

    internal static readonly TableSchema Streams = new("events/streams");

    internal static readonly TableIndex StreamsById = Streams.AddIndex(
        "id",
        isUnique: true,
        static (row, _, destination) => Copy(StreamRow.IdOf(row), destination)
    );

    internal static readonly TableSchema Names = new("events/names");

    internal static readonly TableIndex NamesByText = Names.AddIndex(
        "text",
        isUnique: true,
        static (row, _, destination) => Copy(row, destination)
    );

    private EventsRoom()
        : base("events") { }

    private static ReadOnlySpan<byte> LastDeletionKey => "events/last-deletion"u8;

    /// <summary>The only one.</summary>
    public static EventsRoom Instance { get; } = new();

    /// <summary>The room in the transaction of a writer.</summary>
    internal static RoomWriter Of(DocumentsWriter writer) => new(writer, Instance);

    /// <summary>The collection of all events. No document can have it.</summary>
    public static string Collection => CollectionNames.EventsText;

    /// <summary>What the ids of events as documents begin with.</summary>
    public static string IdPrefix => "@events/";

    /// <summary>Is it the name of the collection of events, in any casing?</summary>
    public static bool IsEvents(string? collection) => collection is not null && CollectionNames.IsEvents(collection);

    /// <inheritdoc/>
    public override IReadOnlyList<string> Trees { get; } = [TagsTree, DeletionsTree, DigestsTree];

    /// <inheritdoc/>
    public override IReadOnlyList<TableSchema> Tables { get; } = [Rows, Streams, Names];

    /// <inheritdoc/>
    protected internal override void Check(RoomReader reader, Action<string> report) => EventsCheck.Run(reader, report);

    internal static void WriteStreamKey(long streamNumber, Span<byte> destination) =>
        BinaryPrimitives.WriteInt64BigEndian(destination, streamNumber);

    internal static long ReadStreamKey(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key);

    internal static void WriteEventKey(long streamNumber, long number, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, streamNumber);
        BinaryPrimitives.WriteInt64BigEndian(destination[8..], number);
    }

    internal static long ReadEventNumber(ReadOnlySpan<byte> eventKey) => BinaryPrimitives.ReadInt64BigEndian(eventKey[8..]);

    internal static void WriteNameKey(int name, Span<byte> destination) => BinaryPrimitives.WriteInt32BigEndian(destination, name);

    internal static int ReadNameKey(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt32BigEndian(key);

    internal static void WriteTagKey(int tag, long etag, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, tag);
        BinaryPrimitives.WriteInt64BigEndian(destination[4..], etag);
    }

    internal static long ReadTagEtag(ReadOnlySpan<byte> tagKey) => BinaryPrimitives.ReadInt64BigEndian(tagKey[4..]);

    /// <summary>Notes the etag of the newest deletion: it is told when the record itself is gone.</summary>
    internal static void WriteLastDeletion(in RoomWriter writer, long etag)
    {
        byte[] value = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(value, etag);
        writer.SetValue(LastDeletionKey, value);
    }

    /// <summary>The highest etag that a deletion ever had; 0: there was none.</summary>
    internal static long ReadLastDeletion(in RoomReader reader) =>
        reader.TryGetValue(LastDeletionName, out var value) ? BinaryPrimitives.ReadInt64LittleEndian(value) : 0;

    private static int Copy(ReadOnlySpan<byte> key, Span<byte> destination)
    {
        key.CopyTo(destination);
        return key.Length;
    }
}

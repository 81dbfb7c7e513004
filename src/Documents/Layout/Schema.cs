using System.Buffers.Binary;
using Jackdaw.Documents.Ids;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Layout;

/// <summary>The tables and trees of a database. See docs/documents-format.md.</summary>
internal static class Schema
{
    /// <summary>Of a database's documents. 4: rows have the dates of their documents, and trees order them by time.</summary>
    public const int FormatVersion = 4;

    public const string CollectionsTree = "collections";
    public const string IdentitiesTree = "identities";
    public const string ValuesTree = "values";

    /// <summary>Values of other rooms, and gaps of consumers. The name is that of the room that had it first.</summary>
    public const string ValuesOfRoomsTree = "tasks";
    public const string TracesTree = "traces";

    private const string ExpiresTree = "dates/expires";
    private const string RefreshTree = "dates/refresh";

    public const int EtagKeyBytes = 8;

    /// <summary>Of an entry in a tree of dates.</summary>
    public const int DateKeyBytes = 16;
    public const int CollectionKeyBytes = 12;

    /// <summary>Bytes that <see cref="WriteTombstoneKey"/> writes at most.</summary>
    public const int MaxTombstoneKeyBytes = DocumentId.MaxLowerBytes + 1 + sizeof(uint);

    public static readonly TableSchema Documents = new("documents") { KeepsDeadRows = true };

    public static readonly TableIndex DocumentsById = Documents.AddIndex(
        "id",
        isUnique: true,
        static (row, _, destination) => Copy(new DocumentRow(row).LowerId, destination)
    );

    public static readonly TableIndex DocumentsByCollection = Documents.AddIndex(
        "collection",
        isUnique: true,
        static (row, key, destination) => WriteCollectionKey(new DocumentRow(row).CollectionId, key, destination),
        holdsPrimaryKey: true
    );

    public static readonly TableSchema Tombstones = new("tombstones");

    public static readonly TableIndex TombstonesById = Tombstones.AddIndex(
        "id",
        isUnique: true,
        static (row, _, destination) =>
        {
            var tombstone = new TombstoneRow(row);
            return WriteTombstoneKey(tombstone.LowerId, tombstone.CollectionId, destination);
        }
    );

    public static readonly TableIndex TombstonesByCollection = Tombstones.AddIndex(
        "collection",
        isUnique: true,
        static (row, key, destination) => WriteCollectionKey(new TombstoneRow(row).CollectionId, key, destination)
    );

    public static ReadOnlySpan<byte> FormatValue => "format"u8;

    public static ReadOnlySpan<byte> DatabaseIdValue => "database-id"u8;

    public static ReadOnlySpan<byte> HistoryValue => "history"u8;

    public static ReadOnlySpan<byte> LastEtagValue => "last-etag"u8;

    public static ReadOnlySpan<byte> LastCollectionIdValue => "last-collection-id"u8;

    /// <summary>The value that says how documents expire, or are refreshed.</summary>
    public static ReadOnlySpan<byte> DatesValue(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? "expiration"u8 : "refresh"u8;

    /// <summary>The name of the tree that has the dates of a kind in the order of time.</summary>
    public static string DatesTree(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? ExpiresTree : RefreshTree;

    public static void WriteDateKey(long ticks, long etag, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, ticks);
        BinaryPrimitives.WriteInt64BigEndian(destination[8..], etag);
    }

    public static (long Ticks, long Etag) ReadDateKey(ReadOnlySpan<byte> key) =>
        (BinaryPrimitives.ReadInt64BigEndian(key), BinaryPrimitives.ReadInt64BigEndian(key[8..]));

    public static void WriteEtagKey(long etag, Span<byte> destination) => BinaryPrimitives.WriteInt64BigEndian(destination, etag);

    public static long ReadEtagKey(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key);

    public static void WriteCollectionKey(uint collectionId, long etag, Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt32BigEndian(destination, collectionId);
        BinaryPrimitives.WriteInt64BigEndian(destination[4..], etag);
    }

    /// <summary>Writes the key of a tombstone in <see cref="TombstonesById"/> and returns its length.</summary>
    public static int WriteTombstoneKey(ReadOnlySpan<byte> lowerId, uint collectionId, Span<byte> destination)
    {
        int length = WriteTombstonePrefix(lowerId, destination);
        BinaryPrimitives.WriteUInt32BigEndian(destination[length..], collectionId);
        return length + sizeof(uint);
    }

    /// <summary>
    /// Writes what the keys of an id's tombstones begin with, in whatever collections they are, and returns its length. No id
    /// contains the byte 0, so no other id's tombstone begins with it.
    /// </summary>
    public static int WriteTombstonePrefix(ReadOnlySpan<byte> lowerId, Span<byte> destination)
    {
        lowerId.CopyTo(destination);
        destination[lowerId.Length] = 0;
        return lowerId.Length + 1;
    }

    private static int WriteCollectionKey(uint collectionId, ReadOnlySpan<byte> etagKey, Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt32BigEndian(destination, collectionId);
        etagKey.CopyTo(destination[4..]);
        return CollectionKeyBytes;
    }

    private static int Copy(ReadOnlySpan<byte> key, Span<byte> destination)
    {
        key.CopyTo(destination);
        return key.Length;
    }
}

using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Snapshots;

/// <summary>The room's trees in one transaction. They are made together, by the first snapshot.</summary>
internal readonly struct SnapshotTrees
{
    private SnapshotTrees(BTree rows, BTree chunks, BTree leftovers)
    {
        Rows = rows;
        Chunks = chunks;
        Leftovers = leftovers;
    }

    public BTree Rows { get; }

    public BTree Chunks { get; }

    public BTree Leftovers { get; }

    /// <summary>To read; null before the first snapshot.</summary>
    public static SnapshotTrees? Of(RoomReader reader)
    {
        if (!reader.TryOpenTree(SnapshotsRoom.RowsTree, out var rows))
            return null;
        bool all =
            reader.TryOpenTree(SnapshotsRoom.ChunksTree, out var chunks)
            & reader.TryOpenTree(SnapshotsRoom.LeftoversTree, out var leftovers);
        Invariant.Require(all);
        return new SnapshotTrees(rows, chunks!, leftovers!);
    }

    /// <summary>To look before changing anything; null before the first snapshot.</summary>
    public static SnapshotTrees? ToLook(in RoomWriter writer) => Of(writer.Look());

    /// <summary>To change; made when they are not there.</summary>
    public static SnapshotTrees ToChange(in RoomWriter writer) =>
        new(
            writer.OpenTree(SnapshotsRoom.RowsTree),
            writer.OpenTree(SnapshotsRoom.ChunksTree),
            writer.OpenTree(SnapshotsRoom.LeftoversTree)
        );

    public void PutChunk(long content, long offset, ReadOnlySpan<byte> bytes)
    {
        Invariant.Require(bytes.Length is > 0 and <= Limits.SnapshotChunkBytes && offset >= 0);
        Span<byte> key = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, offset, key);
        var room = Chunks.Reserve(key, bytes.Length, out bool isNew);
        Invariant.Require(isNew, "a chunk is stored once");
        bytes.CopyTo(room);
    }

    public void PutLeftover(long content, in LeftoverRecord record)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ContentKeyBytes];
        SnapshotsRoom.WriteContentKey(content, key);
        record.Write(Leftovers.Reserve(key, LeftoverRecord.Bytes, out bool isNew));
        Invariant.Require(isNew, "a content has one leftover record");
    }

    public bool TryGetLeftover(long content, out LeftoverRecord record)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ContentKeyBytes];
        SnapshotsRoom.WriteContentKey(content, key);
        bool found = Leftovers.TryGet(key, out var value);
        record = found ? LeftoverRecord.Read(value) : default;
        return found;
    }

    /// <summary>False when there is none.</summary>
    public bool DeleteLeftover(long content)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ContentKeyBytes];
        SnapshotsRoom.WriteContentKey(content, key);
        return Leftovers.Delete(key);
    }

    /// <summary>Removes chunks of a content in order, until so many bytes are removed. Returns the bytes.</summary>
    /// <param name="content">Whose chunks.</param>
    /// <param name="atMostBytes">No chunk is removed after so many.</param>
    /// <param name="isEnd">There are no more chunks.</param>
    public long RemoveChunks(long content, long atMostBytes, out bool isEnd)
    {
        Span<byte> first = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, 0, first);
        Span<byte> key = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        long removed = 0;
        while (removed < atMostBytes)
        {
            using (var cursor = Chunks.OpenCursor())
            {
                if (!cursor.Seek(first) || !cursor.Key.StartsWith(first[..SnapshotsRoom.ContentKeyBytes]))
                {
                    isEnd = true;
                    return removed;
                }
                cursor.Key.CopyTo(key);
                removed += cursor.Value.Length;
            }
            Invariant.Require(Chunks.Delete(key));
        }
        isEnd = false;
        return removed;
    }
}

using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>Snapshots in one read transaction. Not thread-safe; valid until the reader that it comes from ends.</summary>
public sealed class SnapshotsReader
{
    private readonly DocumentsReader _reader;
    private readonly RoomReader _room;
    private readonly SnapshotTrees? _trees;

    /// <summary>Reads in a read transaction.</summary>
    public SnapshotsReader(DocumentsReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        _reader = reader;
        _room = reader.Of(SnapshotsRoom.Instance);
        _trees = SnapshotTrees.Of(_room);
    }

    /// <summary>The last number that a content or a leftover record has got: <see cref="SnapshotTraffic.Hold"/>.</summary>
    public long LastNumber => SnapshotNumbers.Last(_room);

    /// <summary>
    /// Shows the snapshots of a stream that are within bounds, the highest number first, until the visitor has enough or the reader is due.
    /// </summary>
    /// <param name="stream">The stream id; its exact bytes.</param>
    /// <param name="criteria">The bounds.</param>
    /// <param name="visitor">Given each.</param>
    /// <returns>The highest number to go on with in another reader; null: there are no more.</returns>
    public long? Descend(ReadOnlySpan<byte> stream, in SnapshotCriteria criteria, SnapshotVisitor visitor)
    {
        ArgumentNullException.ThrowIfNull(visitor);
        if (_trees is not { } trees || stream.Length is 0 or > Limits.MaxEventTextBytes || criteria.MaxNumber < 0)
            return null;
        var key = SnapshotKey.Write(stream, criteria.MaxNumber, stackalloc byte[SnapshotKey.MaxBytes]);
        using var cursor = trees.Rows.OpenCursor();
        bool found = (cursor.Seek(key) && cursor.Key.SequenceEqual(key)) || cursor.SeekBefore(key);
        for (; found && SnapshotKey.IsSameStream(cursor.Key, key); found = cursor.MovePrevious())
        {
            long number = SnapshotKey.Number(cursor.Key);
            if (number < criteria.MinNumber)
                return null;
            if (_reader.IsDue)
                return number;
            var row = new SnapshotRow(cursor.Value);
            if (!criteria.FitsTicks(row.Ticks))
                continue;
            string manifest = Encoding.UTF8.GetString(row.Manifest);
            if (!visitor(new StoredSnapshot(number, row.Ticks, row.SizeBytes, row.Serializer, manifest, row.Content)))
                return number == 0 ? null : number - 1;
        }
        return null;
    }

    /// <summary>Copies bytes of a content. Returns how many: fewer than there is room for at its end, or when it is gone.</summary>
    /// <param name="content">From <see cref="StoredSnapshot.Content"/>.</param>
    /// <param name="position">Of the first byte.</param>
    /// <param name="destination">Filled from the start.</param>
    public int ReadBytes(long content, long position, Span<byte> destination)
    {
        Invariant.Require(position >= 0);
        if (_trees is not { } trees)
            return 0;
        Span<byte> key = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, position, key);
        int count = 0;
        using var cursor = trees.Chunks.OpenCursor();
        bool found = (cursor.Seek(key) && cursor.Key.SequenceEqual(key)) || cursor.SeekBefore(key);
        for (
            ;
            found && count < destination.Length && cursor.Key.StartsWith(key[..SnapshotsRoom.ContentKeyBytes]);
            found = cursor.MoveNext()
        )
        {
            var chunk = cursor.Value;
            long within = position + count - SnapshotsRoom.ReadChunkOffset(cursor.Key);
            if (within >= chunk.Length)
                continue;
            // Its chunks follow each other without a gap; the cleaning removes the first ones first.
            if (within < 0)
                return count;
            int length = (int)Math.Min(chunk.Length - within, destination.Length - count);
            chunk.Slice((int)within, length).CopyTo(destination[count..]);
            count += length;
        }
        return count;
    }
}

using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.Snapshots;

/// <summary>The rules of snapshots over sound trees: docs/snapshots.md, "Invariants".</summary>
internal sealed class SnapshotsCheck
{
    private readonly SnapshotTrees _trees;
    private readonly long _lastNumber;
    private readonly Action<string> _report;
    private readonly Sum _owned = new();

    private SnapshotsCheck(in SnapshotTrees trees, long lastNumber, Action<string> report)
    {
        _trees = trees;
        _lastNumber = lastNumber;
        _report = report;
    }

    public static void Run(RoomReader reader, Action<string> report)
    {
        if (SnapshotTrees.Of(reader) is not { } trees)
            return;
        var check = new SnapshotsCheck(trees, SnapshotNumbers.Last(reader), report);
        check.CheckRows();
        check.CheckLeftovers();
        check.CheckChunks();
    }

    private void CheckRows()
    {
        using var cursor = _trees.Rows.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            if (!SnapshotKey.IsWellFormed(cursor.Key) || !SnapshotRow.IsWellFormed(cursor.Value))
            {
                _report("a snapshot's row is malformed");
                continue;
            }
            string stream = ShownText.Of(Encoding.UTF8.GetString(SnapshotKey.Stream(cursor.Key)));
            string what = $"snapshot {SnapshotKey.Number(cursor.Key)} of stream '{stream}'";
            var row = new SnapshotRow(cursor.Value);
            if (row.Content > _lastNumber)
                _report($"{what}: its content number {row.Content} is above the last one, {_lastNumber}");
            if (_trees.TryGetLeftover(row.Content, out _))
                _report($"{what}: its content {row.Content} has a leftover record");
            long bytes = CheckContent(row.Content, what);
            if (bytes != row.SizeBytes)
                _report($"{what}: has {row.SizeBytes} bytes, and its chunks have {bytes}");
        }
    }

    /// <summary>Returns the bytes of its chunks.</summary>
    private long CheckContent(long content, string what)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, 0, key);
        long bytes = 0;
        using var cursor = _trees.Chunks.OpenCursor();
        for (bool found = cursor.Seek(key); found && cursor.Key.StartsWith(key[..SnapshotsRoom.ContentKeyBytes]); found = cursor.MoveNext())
        {
            long offset = SnapshotsRoom.ReadChunkOffset(cursor.Key);
            if (offset != bytes)
                _report($"{what}: a chunk begins at {offset}, and the ones before it end at {bytes}");
            bytes += cursor.Value.Length;
            _owned.Add(content, offset);
        }
        return bytes;
    }

    private void CheckLeftovers()
    {
        using var cursor = _trees.Leftovers.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long content = SnapshotsRoom.ReadContentKey(cursor.Key);
            string what = $"leftover content {content}";
            if (!LeftoverRecord.IsWellFormed(cursor.Value))
                _report($"{what}: its record is malformed");
            else if (content > _lastNumber || LeftoverRecord.Read(cursor.Value).Number > _lastNumber)
                _report($"{what}: its number or that of its record is above the last one, {_lastNumber}");
            CountLeftover(content);
        }
    }

    /// <summary>The first chunks may have been removed already.</summary>
    private void CountLeftover(long content)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, 0, key);
        using var cursor = _trees.Chunks.OpenCursor();
        for (bool found = cursor.Seek(key); found && cursor.Key.StartsWith(key[..SnapshotsRoom.ContentKeyBytes]); found = cursor.MoveNext())
            _owned.Add(content, SnapshotsRoom.ReadChunkOffset(cursor.Key));
    }

    /// <summary>Contents are compared as sums over all of them: a set of them would not be bounded by memory.</summary>
    private void CheckChunks()
    {
        var there = new Sum();
        using var cursor = _trees.Chunks.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            if (cursor.Value.Length is 0 or > Limits.SnapshotChunkBytes)
                _report($"a chunk of content {SnapshotsRoom.ReadContentKey(cursor.Key)} has {cursor.Value.Length} bytes");
            there.Add(SnapshotsRoom.ReadContentKey(cursor.Key), SnapshotsRoom.ReadChunkOffset(cursor.Key));
        }
        if (there.Count != _owned.Count || there.Hash != _owned.Hash)
            _report(
                $"there are {there.Count} chunks, and snapshots and leftover records have {_owned.Count}: "
                    + "some belong to none, or to more than one"
            );
    }

    /// <summary>A number that two different sets of chunks share with a chance of 1 in 2^64.</summary>
    private sealed class Sum
    {
        public long Count { get; private set; }

        public ulong Hash { get; private set; }

        public void Add(long content, long offset)
        {
            Count++;
            Hash += Mixed(Mixed((ulong)content) + (ulong)offset);
        }

        /// <summary>The finalizer of SplitMix64.</summary>
        private static ulong Mixed(ulong value)
        {
            value += 0x9E3779B97F4A7C15;
            value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
            value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
            return value ^ (value >> 31);
        }
    }
}

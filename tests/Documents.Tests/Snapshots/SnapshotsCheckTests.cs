using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Snapshots;
using Xunit;

namespace Jackdaw.Documents.Tests.Snapshots;

/// <summary>Each rule of snapshots is seen to be broken once.</summary>
public sealed class SnapshotsCheckTests : IDisposable
{
    private readonly TestDatabase _database = new();
    private readonly SnapshotTraffic _traffic = new() { PieceBytes = 10 };

    /// <summary>Content 1 is that of a snapshot, 2 was replaced, 3 is that of its successor, 5 is uploading.</summary>
    public SnapshotsCheckTests()
    {
        Store(1, [5, 6], 4);
        Store(2, [20], 0);
        Store(2, [8], 0);
        Upload([7, 7]);
    }

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_sound_database_has_no_findings() => Assert.Empty(Findings());

    [Fact]
    public void Each_broken_rule_is_found()
    {
        Finds("a snapshot's row is malformed", trees => trees.Rows.Put([0, 1, (byte)'a', 0, 0, 0, 0, 0, 0, 0, 9], [1, 2, 3]));
        Finds("a snapshot's row is malformed", trees => trees.Rows.Put([0, 9, (byte)'a', 0, 0, 0, 0, 0, 0, 0, 9], Row(trees, 1)));
        Finds("has 15 bytes, and its chunks have 20", trees => trees.PutChunk(1, 15, new byte[5]));
        Finds("has 15 bytes, and its chunks have 9", trees => trees.Chunks.Delete(ChunkKey(1, 5)));
        Finds("a chunk begins at 11, and the ones before it end at 5", trees => trees.Chunks.Delete(ChunkKey(1, 5)));
        Finds("some belong to none, or to more than one", trees => trees.PutChunk(77, 0, new byte[5]));
        Finds("some belong to none, or to more than one", trees => trees.DeleteLeftover(2));
        Finds("some belong to none, or to more than one", trees => trees.Rows.Put(Key(3), Row(trees, 1)));
        Finds("its content 1 has a leftover record", trees => trees.PutLeftover(1, new LeftoverRecord(true, 1, 1)));
        Finds("leftover content 2: its record is malformed", trees => trees.Leftovers.Put([0, 0, 0, 0, 0, 0, 0, 2], [1, 2]));
        Finds("leftover content 99: its number", trees => trees.PutLeftover(99, new LeftoverRecord(true, 1, 1)));
        Finds(
            "its content number 88 is above the last one, 5",
            trees =>
            {
                byte[] row = Row(trees, 1);
                row[24] = 88;
                trees.Rows.Put(Key(1), row);
            }
        );
    }

    /// <summary>Breaks a rule, looks, and begins anew.</summary>
    private static void Finds(string finding, Action<SnapshotTrees> breaking)
    {
        using var broken = new SnapshotsCheckTests();
        broken._database.Do(new Breaking(breaking));
        var findings = broken.Findings();
        Assert.True(findings.Any(found => found.Contains(finding, StringComparison.Ordinal)), string.Join("; ", findings));
    }

    private IReadOnlyList<string> Findings() => RoomsCheck.Run(_database.Storage, [SnapshotsRoom.Instance]);

    private void Store(long number, int[] chunks, int rest)
    {
        var upload = Upload(chunks);
        _database.Do(new StoreSnapshotOperation(new NewSnapshot("a"u8, number), upload, new byte[rest]));
    }

    private PendingUpload Upload(int[] chunks)
    {
        var upload = _traffic.BeginUpload();
        foreach (int bytes in chunks)
        {
            var chunk = new StoreChunkOperation(upload, new byte[bytes]);
            _database.Do(chunk);
            chunk.Count();
        }
        return upload;
    }

    private static byte[] Key(long number) => SnapshotKey.Write("a"u8, number, new byte[SnapshotKey.MaxBytes]).ToArray();

    private static byte[] Row(SnapshotTrees trees, long number)
    {
        Assert.True(trees.Rows.TryGet(Key(number), out var row));
        return row.ToArray();
    }

    private static byte[] ChunkKey(long content, long offset)
    {
        byte[] key = new byte[SnapshotsRoom.ChunkKeyBytes];
        SnapshotsRoom.WriteChunkKey(content, offset, key);
        return key;
    }

    private sealed class Breaking(Action<SnapshotTrees> action) : RoomOperation(SnapshotsRoom.Instance)
    {
        public override long SizeBytes => 0;

        protected override void Execute(RoomWriter writer) => action(SnapshotTrees.ToChange(writer));
    }
}

using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>Holds the snapshots of a database against the model: everything that a reader can see, and what is left over.</summary>
internal static class SnapshotsCheckByModel
{
    public static void Run(DocumentsReader documents, SnapshotsState state)
    {
        var reader = new SnapshotsReader(documents);
        foreach (var stream in SnapshotTrafficDriver.Streams)
            CheckStream(reader, stream, state);
        CheckLeftovers(documents, state);
    }

    private static void CheckStream(SnapshotsReader reader, string stream, SnapshotsState state)
    {
        var found = new List<StoredSnapshot>();
        var next = reader.Descend(
            Encoding.UTF8.GetBytes(stream),
            SnapshotCriteria.All,
            (in StoredSnapshot snapshot) =>
            {
                found.Add(snapshot);
                return true;
            }
        );
        OracleException.Require(next is null, $"the snapshots of {stream} go on below {next}");
        var expected = state.Within(stream, SnapshotCriteria.All).Reverse().ToList();
        var wanted = expected.Select(e => new StoredSnapshot(
            e.Number,
            e.Snapshot.Ticks,
            e.Snapshot.SizeBytes,
            e.Snapshot.Serializer,
            e.Snapshot.Manifest,
            e.Snapshot.Content
        ));
        OracleException.Require(
            found.SequenceEqual(wanted),
            $"the snapshots of {stream} are {string.Join(' ', found)} instead of {string.Join(' ', wanted)}"
        );
        foreach (var (number, snapshot) in expected)
        {
            var bytes = new byte[snapshot.SizeBytes + 1];
            var count = reader.ReadBytes(snapshot.Content, 0, bytes);
            OracleException.Require(
                bytes.AsSpan(0, count).SequenceEqual(SnapshotState.BytesOf(snapshot.Seed, 0, snapshot.SizeBytes)),
                $"snapshot {number} of {stream} has {count} bytes, or others, instead of {snapshot.SizeBytes}"
            );
        }
    }

    private static void CheckLeftovers(DocumentsReader documents, SnapshotsState state)
    {
        var found = new List<string>();
        if (SnapshotTrees.Of(documents.Of(SnapshotsRoom.Instance)) is { } trees)
        {
            using var cursor = trees.Leftovers.OpenCursor();
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
                found.Add($"{SnapshotsRoom.ReadContentKey(cursor.Key)} {LeftoverRecord.Read(cursor.Value)}");
        }
        var wanted = state.Leftovers.Select(l => $"{l.Key} {new LeftoverRecord(l.Value.IsUploading, l.Value.Number, l.Value.Ticks)}");
        OracleException.Require(
            found.SequenceEqual(wanted),
            $"the leftovers are {string.Join("; ", found)} instead of {string.Join("; ", wanted)}"
        );
    }
}

using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage;
using Jackdaw.Tests;
using Xunit;

namespace Jackdaw.Documents.Tests.Snapshots;

/// <summary>Snapshots through everything that is done to a database as a whole.</summary>
public sealed class SnapshotDurabilityTests : IDisposable
{
    private const int ChunkBytes = 300_000;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-snapshots-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private DatabasesOptions Options(string folder) =>
        new()
        {
            DataDir = Path.Combine(_folder, folder),
            Rooms = [SnapshotsRoom.Instance],
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Fact]
    public async Task Snapshots_outlive_a_restart_a_copy_and_a_compaction_which_remove_uploads_that_were_under_way()
    {
        await using (var databases = Databases.Open(Options("data")))
        {
            await databases.CreateAsync("shop", "{}"u8.ToArray());
            var database = databases.Get("shop");
            await StoreAsync(database, number: 1, seed: 1, chunks: 9);
            await StoreAsync(database, number: 2, seed: 2, chunks: 0);
            // The process ends while this one is under way: nobody ends it.
            await UploadAsync(database, seed: 3, chunks: 2);
            await databases.CopyAsync("shop", Path.Combine(_folder, "copy"), (_, _) => { }, default);
            Assert.Equal((13, 1), Counts(database));
        }
        DataFolderMaintenance.Compact(Options("data"), TextWriter.Null);
        foreach (string folder in new[] { "data", "copy" })
        {
            using (var findings = new StringWriter())
                Assert.True(DataFolderMaintenance.Check(Options(folder), findings), findings.ToString());
            await using var databases = Databases.Open(Options(folder));
            var database = databases.Get("shop");
            await Eventually.IsAsync(() => Counts(database) == (11, 0));
            Same(database, number: 1, seed: 1, bytes: (9 * ChunkBytes) + 100);
            Same(database, number: 2, seed: 2, bytes: 100);
        }
    }

    [Fact]
    public async Task Removing_a_large_content_is_done_in_bounded_steps()
    {
        await using var databases = Databases.Open(Options("data"));
        await databases.CreateAsync("shop", "{}"u8.ToArray());
        var database = databases.Get("shop");
        await StoreAsync(database, number: 1, seed: 1, chunks: 120);
        var held = database.Snapshots.Hold(0);
        await database.SubmitAsync(new DeleteSnapshotsOperation(database.Snapshots, "a"u8, SnapshotCriteria.All));
        var once = new RemoveLeftoversOperation(database.Snapshots) { UpToNumber = long.MaxValue };
        await database.SubmitAsync(once);
        Assert.Equal((0, false), (once.RemovedBytes, once.HasMore));
        held.Dispose();

        await database.SubmitAsync(once);

        Assert.True(once.HasMore);
        Assert.InRange(once.RemovedBytes, 1, Limits.SnapshotBytesPerCleaning + ChunkBytes);
        database.Snapshots.NoteLeftover();
        await Eventually.IsAsync(() => Counts(database) == (0, 0));
    }

    private static async Task StoreAsync(Database database, long number, int seed, int chunks)
    {
        var upload = await UploadAsync(database, seed, chunks);
        byte[] rest = SnapshotState.BytesOf(seed, chunks * ChunkBytes, 100);
        await database.SubmitAsync(new StoreSnapshotOperation(new NewSnapshot("a"u8, number), upload, rest));
        upload.Complete();
        upload.Dispose();
    }

    private static async Task<PendingUpload> UploadAsync(Database database, int seed, int chunks)
    {
        var upload = database.Snapshots.BeginUpload();
        for (int i = 0; i < chunks; i++)
        {
            var chunk = new StoreChunkOperation(upload, SnapshotState.BytesOf(seed, i * ChunkBytes, ChunkBytes));
            await database.SubmitAsync(chunk);
            chunk.Count();
        }
        return upload;
    }

    private static void Same(Database database, long number, int seed, int bytes)
    {
        using var reader = database.OpenRead("test");
        var snapshots = new SnapshotsReader(reader);
        long content = 0;
        snapshots.Descend(
            "a"u8,
            SnapshotCriteria.All with
            {
                MaxNumber = number,
            },
            (in StoredSnapshot found) =>
            {
                Assert.Equal((number, bytes), (found.Number, found.SizeBytes));
                content = found.Content;
                return false;
            }
        );
        byte[] read = new byte[bytes + 1];
        Assert.Equal(bytes, snapshots.ReadBytes(content, 0, read));
        Assert.True(read.AsSpan(0, bytes).SequenceEqual(SnapshotState.BytesOf(seed, 0, bytes)));
    }

    private static (long Chunks, long Leftovers) Counts(Database database)
    {
        using var reader = database.OpenRead("test");
        var trees = SnapshotTrees.Of(reader.Of(SnapshotsRoom.Instance))!.Value;
        return (trees.Chunks.EntryCount, trees.Leftovers.EntryCount);
    }
}

using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>
/// The bytes of one snapshot on their way to the merger: gathered to chunks, each stored in a transaction of its own, one at a time. While
/// others write, chunks are small, and the load rests after each for twice the time that it took: two thirds of the time are theirs.
/// </summary>
internal sealed class SnapshotLoad : IAsyncDisposable
{
    private const int FirstBufferBytes = 64 * 1024;

    /// <summary>From this pressure on the flush works at full speed, and others would feel it.</summary>
    private const double HighPressure = 0.4;

    private const int RestPerWork = 2;
    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan FullQueuePause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan PressurePause = TimeSpan.FromMilliseconds(5);

    /// <summary>Pressure that does not fall is others' (a reader that lasts): the merger's own slowing is then enough.</summary>
    private static readonly TimeSpan LongestPressure = TimeSpan.FromSeconds(1);

    private readonly Database _database;
    private readonly PendingUpload _upload;
    private readonly CancellationToken _cancellation;
    private byte[] _buffer = [];
    private int _length;

    /// <param name="database">Where to.</param>
    /// <param name="cancellation">Ends rests; an operation under way is waited for all the same.</param>
    public SnapshotLoad(Database database, CancellationToken cancellation)
    {
        _database = database;
        _cancellation = cancellation;
        _upload = database.Snapshots.BeginUpload();
    }

    /// <summary>Chunks are small while others write, and while so many uploads are under way that their memory counts.</summary>
    private int ChunkBytes =>
        _database.HasRecentForegroundWrites || _database.Snapshots.UploadCount > Limits.LargeSnapshotUploads
            ? Limits.SnapshotSharedChunkBytes
            : Limits.SnapshotChunkBytes;

    /// <summary>Takes in all of the bytes, and stores what makes whole chunks and is not the end.</summary>
    public async ValueTask TakeAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            // A full chunk is stored when more follows it: the last one goes with the snapshot's row.
            var chunk = ChunkBytes;
            if (_length >= chunk)
                await StoreChunksAsync();
            var taken = Math.Min(bytes.Length, Math.Max(chunk - _length, 1));
            Append(bytes.Span[..taken]);
            bytes = bytes[taken..];
        }
    }

    /// <summary>The body has ended: stores the rest, and makes the snapshot visible.</summary>
    public async Task CompleteAsync(NewSnapshot snapshot)
    {
        while (_length > ChunkBytes)
            await StoreChunkAsync(ChunkBytes);
        var store = new StoreSnapshotOperation(snapshot, _upload, _buffer.AsMemory(0, _length));
        if (_upload.StoredBytes == 0)
            await _database.SubmitAsync(store);
        else
            await SubmitAsync(store);
        _upload.Complete();
        if (store.LeavesContent)
            _database.Snapshots.NoteLeftover();
    }

    /// <summary>Ends the upload. Chunks that no snapshot has are removed in the background.</summary>
    public ValueTask DisposeAsync()
    {
        _upload.Dispose();
        if (_buffer.Length > 0)
            BytePool.Requests.Return(_buffer);
        _buffer = [];
        return ValueTask.CompletedTask;
    }

    private async ValueTask StoreChunksAsync()
    {
        while (_length > 0)
            await StoreChunkAsync(Math.Min(_length, ChunkBytes));
    }

    /// <summary>Stores the first bytes of the buffer.</summary>
    private async ValueTask StoreChunkAsync(int bytes)
    {
        await WaitForRoomAsync();
        var began = Stopwatch.GetTimestamp();
        var chunk = new StoreChunkOperation(_upload, _buffer.AsMemory(0, bytes));
        await SubmitAsync(chunk);
        chunk.Count();
        _buffer.AsSpan(bytes, _length - bytes).CopyTo(_buffer);
        _length -= bytes;
        if (!_database.HasRecentForegroundWrites)
            return;
        var rest = RestPerWork * Stopwatch.GetElapsedTime(began);
        await Task.Delay(rest < LongestRest ? rest : LongestRest, _cancellation);
    }

    private async ValueTask SubmitAsync(Jackdaw.Documents.Commands.MergedOperation operation)
    {
        while (true)
        {
            try
            {
                await _database.SubmitAsync(operation);
                return;
            }
            catch (MergerQueueFullException)
            {
                // Its queue is full of others' writes: this load is the one that can wait.
                await Task.Delay(FullQueuePause, _cancellation);
            }
        }
    }

    private async ValueTask WaitForRoomAsync()
    {
        var began = Stopwatch.GetTimestamp();
        while (_database.ScratchPressure > HighPressure && Stopwatch.GetElapsedTime(began) < LongestPressure)
            await Task.Delay(PressurePause, _cancellation);
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        if (_buffer.Length - _length < bytes.Length)
        {
            var larger = BytePool.Requests.Rent(Math.Max(_length + bytes.Length, Math.Max(FirstBufferBytes, 2 * _buffer.Length)));
            _buffer.AsSpan(0, _length).CopyTo(larger);
            if (_buffer.Length > 0)
                BytePool.Requests.Return(_buffer);
            _buffer = larger;
        }
        bytes.CopyTo(_buffer.AsSpan(_length));
        _length += bytes.Length;
    }
}

using Jackdaw.Documents.Snapshots;
using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Merging;

/// <summary>An upload of a snapshot: one operation at a time, which may be its last one.</summary>
internal sealed class SimulatedUpload
{
    private readonly PendingUpload _pending;
    private int _chunksToCome;

    public SimulatedUpload(PendingUpload pending, string stream, long number, int seed, SimulatedRandom random)
    {
        _pending = pending;
        Stream = stream;
        Number = number;
        Seed = seed;
        Ticks = random.Coin() ? null : random.Next(40);
        _chunksToCome = random.OneIn(3) ? 0 : random.Next(8);
    }

    public string Stream { get; }

    public long Number { get; }

    public int Seed { get; }

    public long? Ticks { get; }

    public PendingUpload Pending => _pending;

    public int StoredBytes => (int)_pending.StoredBytes;

    /// <summary>The number of its content, as the model says; 0 before the first chunk.</summary>
    public long Content { get; set; }

    /// <summary>Its operation is not answered yet.</summary>
    public bool IsBusy { get; set; }

    public bool HasEnded { get; private set; }

    /// <summary>Whether the next operation is another chunk.</summary>
    public bool TakesChunk() => _chunksToCome-- > 0;

    /// <summary>The client goes away, or has its answer.</summary>
    public void End(bool isComplete)
    {
        if (isComplete)
            _pending.Complete();
        HasEnded = true;
        _pending.Dispose();
    }

    public byte[] Bytes(int length) => SnapshotState.BytesOf(Seed, StoredBytes, length);
}

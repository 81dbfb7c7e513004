using Jackdaw.Storage.Memory;

namespace Jackdaw.Documents.Commands;

/// <summary>Batches between two uses, with the commands and the buffers that they keep: bounded in number and in bytes over all
/// of them.</summary>
internal sealed class BatchPool : IKeptMemory
{
    /// <summary>Batches that are kept at most.</summary>
    public const int MaxBatches = 256;

    /// <summary>Bytes that they keep at most together: many clients' usual batches, and few large ones.</summary>
    public const long MaxBytes = 16L << 20;

    private readonly Lock _gate = new();
    private readonly List<BatchOperation> _batches = new(MaxBatches);
    private long _keptBytes;
    private int _leastKept;

    private BatchPool() => KeptMemory.Register(this);

    public static BatchPool Instance { get; } = new();

    /// <inheritdoc/>
    public string Owner => "batches";

    /// <inheritdoc/>
    public long KeptBytes => Volatile.Read(ref _keptBytes);

    /// <inheritdoc/>
    public long MaxKeptBytes => MaxBytes;

    /// <summary>Returns a kept batch, the one given last; null when there is none.</summary>
    public BatchOperation? TryTake()
    {
        lock (_gate)
        {
            if (_batches.Count == 0)
                return null;
            var batch = _batches[^1];
            _batches.RemoveAt(_batches.Count - 1);
            _leastKept = Math.Min(_leastKept, _batches.Count);
            _keptBytes -= batch.KeptBytes;
            return batch;
        }
    }

    /// <summary>Keeps a batch, or drops it where enough is kept.</summary>
    public void Give(BatchOperation batch)
    {
        lock (_gate)
        {
            if (_batches.Count == MaxBatches || _keptBytes + batch.KeptBytes > MaxBytes)
                return;
            _batches.Add(batch);
            _keptBytes += batch.KeptBytes;
        }
        KeptMemory.Keeps();
    }

    /// <inheritdoc/>
    public long Trim()
    {
        lock (_gate)
        {
            long freed = 0;
            // Those at the bottom have not been used.
            for (int i = 0; i < _leastKept; i++)
                freed += _batches[i].KeptBytes;
            _batches.RemoveRange(0, _leastKept);
            _leastKept = _batches.Count;
            _keptBytes -= freed;
            return freed;
        }
    }
}

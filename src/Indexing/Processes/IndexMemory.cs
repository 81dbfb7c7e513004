using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// The memory that batches of all indexes of a server may take together: a part of the server's allowance, divided among the batches that
/// are being made at this moment. What a batch gives back, the others may take at once. Thread-safe.
/// </summary>
internal sealed class IndexMemory
{
    private readonly MemoryAccount _account;
    private readonly long _total;
    private int _batches;

    public IndexMemory(MemoryAllowance allowance)
    {
        _account = allowance.Account("indexes");
        _total = Math.Min(allowance.TotalBytes / IndexingLimits.PartOfMemoryAllowance, IndexingLimits.MaxBatchMemoryBytes);
    }

    /// <summary>Bytes that batches have taken.</summary>
    public long UsedBytes => _account.UsedBytes;

    /// <summary>A batch begins.</summary>
    public Share Begin()
    {
        Interlocked.Increment(ref _batches);
        return new Share(this);
    }

    /// <summary>What one batch has taken.</summary>
    internal sealed class Share(IndexMemory memory) : IDisposable
    {
        private long _taken;
        private bool _hasEnded;

        /// <summary>
        /// The batch takes so many bytes now. False: it is to end, for its share or the server's allowance is used up. What it has is
        /// counted all the same, as it cannot be undone.
        /// </summary>
        public bool TryGrow(long bytes)
        {
            Invariant.Require(!_hasEnded);
            if (bytes <= _taken)
                return true;
            long wanted = bytes + IndexingLimits.BatchMemoryStepBytes - _taken;
            long share = memory._total / Math.Max(1, Volatile.Read(ref memory._batches));
            if (_taken + wanted <= share && memory._account.TryTake(wanted))
            {
                _taken += wanted;
                return true;
            }
            memory._account.Take(bytes - _taken);
            _taken = bytes;
            return false;
        }

        public void Dispose()
        {
            if (_hasEnded)
                return;
            _hasEnded = true;
            memory._account.Return(_taken);
            Interlocked.Decrement(ref memory._batches);
        }
    }
}

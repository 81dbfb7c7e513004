using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Merging;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Tombstones;

/// <summary>
/// Removes the tombstones of each collection that every consumer of it has seen, a bounded operation at a time. It has no thread
/// and does not block: <see cref="RunStep"/> is run now and then.
/// </summary>
internal sealed class TombstoneCleaner
{
    private readonly TransactionMerger _merger;
    private readonly ConsumerPositions _consumers;
    private readonly TimeProvider _clock;
    private readonly TimeSpan _interval;
    private readonly TimeSpan _maxAge;
    private readonly CleanTombstonesOperation _operation = new() { IsBackground = true };
    private Task _running = Task.CompletedTask;
    private bool _isRunning;
    private long _lastRun;

    public TombstoneCleaner(TransactionMerger merger, ConsumerPositions consumers, TimeProvider clock, TimeSpan interval, TimeSpan maxAge)
    {
        _merger = merger;
        _consumers = consumers;
        _clock = clock;
        _interval = interval;
        _maxAge = maxAge;
        _lastRun = clock.GetTimestamp();
    }

    /// <summary>Tombstones removed since it was made.</summary>
    public long Removed { get; private set; }

    /// <summary>Begins a round when one is due, or goes on with one. Call it a few times a second.</summary>
    public void RunStep()
    {
        if (_isRunning)
        {
            if (!_running.IsCompleted)
                return;
            _isRunning = false;
            if (!HasMore())
                return;
        }
        else if (_clock.GetElapsedTime(_lastRun) < _interval)
        {
            return;
        }
        Begin();
    }

    private void Begin()
    {
        // The round stays due until cleaning is let go.
        if (_consumers.Places() is not { } consumers)
            return;
        _lastRun = _clock.GetTimestamp();
        _operation.Consumers = consumers;
        // What is not durable yet may still be taken back, and no consumer has seen it.
        _operation.UpToEtag = _merger.LastDurableEtag;
        _operation.AgedBeforeTicks = (_clock.GetUtcNow() - _maxAge).UtcTicks;
        try
        {
            _running = _merger.Submit(_operation).AsTask();
            _isRunning = true;
        }
        catch (Exception busy) when (busy is MergerQueueFullException or DatabaseUnavailableException or StorageException)
        {
            // Cleaning is for quiet times; a database that takes no writes says so to its callers. The next round tries again.
        }
    }

    private bool HasMore()
    {
        try
        {
            _running.GetAwaiter().GetResult();
        }
        catch (Exception refused) when (refused is OperationException or DatabaseUnavailableException or StorageException)
        {
            // As in Begin: the tombstones stay, and the next round tries again.
            return false;
        }
        Removed += _operation.Removed;
        return _operation.Removed == Limits.TombstonesPerCleaning;
    }
}

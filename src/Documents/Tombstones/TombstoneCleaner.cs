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
    /// <summary>How soon it is asked again whether an operation under way has ended.</summary>
    private static readonly TimeSpan s_operation = TimeSpan.FromMilliseconds(250);

    /// <summary>Where nothing has changed since a round that removed nothing, only age can make a tombstone go.</summary>
    private static readonly TimeSpan s_ageing = TimeSpan.FromHours(1);

    private readonly TransactionMerger _merger;
    private readonly ConsumerPositions _consumers;
    private readonly TimeProvider _clock;
    private readonly TimeSpan _interval;
    private readonly TimeSpan _maxAge;
    private readonly CleanTombstonesOperation _operation = new() { IsBackground = true };
    private Task _running = Task.CompletedTask;
    private bool _isRunning;
    private long _lastRun;
    private long _roundEtag;
    private long _roundVersion;
    private bool _wasVain;

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

    /// <summary>Begins a round when one is due, or goes on with one. Call it again after <see cref="NextStep"/>.</summary>
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
        else if (NextRound() > TimeSpan.Zero)
        {
            return;
        }
        Begin();
    }

    /// <summary>How long there is nothing to do; <see cref="Timeout.InfiniteTimeSpan"/>: until something is written.</summary>
    public TimeSpan NextStep()
    {
        if (_isRunning)
            return s_operation;
        // The end of the hold wakes whoever runs the steps.
        if (_consumers.IsHeld)
            return Timeout.InfiniteTimeSpan;
        if (_wasVain && _operation.Left == 0 && IsAsItWas())
            return Timeout.InfiniteTimeSpan;
        return NextRound();
    }

    private TimeSpan NextRound()
    {
        var interval = _wasVain && IsAsItWas() && _interval < s_ageing ? s_ageing : _interval;
        var left = interval - _clock.GetElapsedTime(_lastRun);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    /// <summary>Nothing has been written, and no consumer has moved on, since the last round began.</summary>
    private bool IsAsItWas() => _merger.LastDurableEtag == _roundEtag && _consumers.Version == _roundVersion;

    private void Begin()
    {
        // Before the look: what changes in between makes another round.
        _roundVersion = _consumers.Version;
        // The round stays due until cleaning is let go.
        if (_consumers.Places() is not { } consumers)
            return;
        _lastRun = _clock.GetTimestamp();
        _operation.Consumers = consumers;
        // What is not durable yet may still be taken back, and no consumer has seen it.
        _operation.UpToEtag = _roundEtag = _merger.LastDurableEtag;
        _wasVain = false;
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
        _wasVain = _operation.Removed + _operation.RemovedEvents == 0;
        return _operation.Removed == Limits.TombstonesPerCleaning || _operation.RemovedEvents == Limits.EventsPerCleaning;
    }
}

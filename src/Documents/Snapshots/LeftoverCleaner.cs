using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Merging;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Snapshots;

/// <summary>
/// Removes contents that no snapshot has, a bounded operation at a time, as soon as there may be some. It has no thread and does not
/// block: <see cref="RunStep"/> is run now and then.
/// </summary>
internal sealed class LeftoverCleaner
{
    /// <summary>How soon it is asked again whether an operation under way has ended.</summary>
    private static readonly TimeSpan s_operation = TimeSpan.FromMilliseconds(250);

    /// <summary>How soon it looks again at what could not go, or tries again what failed.</summary>
    private static readonly TimeSpan s_waiting = TimeSpan.FromSeconds(10);

    private readonly TransactionMerger _merger;
    private readonly SnapshotTraffic _traffic;
    private readonly Func<long> _durableNumber;
    private readonly TimeProvider _clock;
    private readonly RemoveLeftoversOperation _operation;
    private Task? _running;
    private long _lastRun;
    private bool _looksAgain;

    /// <param name="merger">Given its operations.</param>
    /// <param name="traffic">Tells when there may be something to remove.</param>
    /// <param name="durableNumber">Reads the last number that is durable (<see cref="SnapshotNumbers"/>).</param>
    /// <param name="clock">For waiting.</param>
    public LeftoverCleaner(TransactionMerger merger, SnapshotTraffic traffic, Func<long> durableNumber, TimeProvider clock)
    {
        _durableNumber = durableNumber;
        _merger = merger;
        _traffic = traffic;
        _clock = clock;
        _operation = new RemoveLeftoversOperation(traffic) { IsBackground = true };
        _lastRun = clock.GetTimestamp();
    }

    /// <summary>Begins an operation when there may be something to remove, or goes on. Call it again after
    /// <see cref="NextStep"/>.</summary>
    public void RunStep()
    {
        if (_running is { } running)
        {
            if (!running.IsCompleted)
                return;
            _running = null;
            if (HasMore(running))
            {
                Begin();
                return;
            }
        }
        if (_traffic.TakeNote() || (_looksAgain && NextLook() <= TimeSpan.Zero))
            Begin();
    }

    /// <summary>How long there is nothing to do; <see cref="Timeout.InfiniteTimeSpan"/>: until <see cref="SnapshotTraffic.Moved"/> is
    /// called.</summary>
    public TimeSpan NextStep()
    {
        if (_running is not null)
            return s_operation;
        if (_traffic.HasNote)
            return TimeSpan.Zero;
        return _looksAgain ? NextLook() : Timeout.InfiniteTimeSpan;
    }

    private TimeSpan NextLook()
    {
        var left = s_waiting - _clock.GetElapsedTime(_lastRun);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private void Begin()
    {
        _lastRun = _clock.GetTimestamp();
        _looksAgain = true;
        _operation.AgedBeforeTicks = (_clock.GetUtcNow() - Limits.MaxReplacedSnapshotAge).UtcTicks;
        try
        {
            _operation.UpToNumber = _durableNumber();
            // A database that never had a snapshot costs no operation when it is opened.
            if (_operation.UpToNumber == 0)
            {
                _looksAgain = false;
                return;
            }
            _running = _merger.Submit(_operation).AsTask();
        }
        catch (Exception busy) when (busy is MergerQueueFullException or DatabaseUnavailableException or StorageException)
        {
            // Cleaning can wait; a database that takes no writes says so to its callers.
        }
    }

    private bool HasMore(Task ended)
    {
        try
        {
            ended.GetAwaiter().GetResult();
        }
        catch (Exception refused) when (refused is OperationException or DatabaseUnavailableException or StorageException)
        {
            // As in Begin: what is left stays, and is looked at again.
            return false;
        }
        _looksAgain = _operation.Left > 0;
        return _operation.HasMore;
    }
}

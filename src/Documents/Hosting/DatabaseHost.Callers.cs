using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Merging;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// A turn of the merger on the thread of a caller, who then needs no other thread: docs/decisions/0058-turns-of-callers.md says when.
/// </summary>
internal sealed partial class DatabaseHost
{
    /// <summary>Transactions of one operation, with nobody waiting at their end, before a caller may run a turn.</summary>
    private const int AloneBefore = 4;

    /// <summary>From this part of the scratch on the merger slows down, which is not for the thread of a caller.</summary>
    private const double SlowingPressure = 0.75;

    /// <summary>A disk whose last write took longer could block a thread of the pool for long.</summary>
    private static readonly TimeSpan s_slowWrite = TimeSpan.FromMilliseconds(2);

    private readonly Func<MergedOperation, StepRest> _runAlone;
    private readonly Action _writeOrHandOver;

    /// <summary>Transactions in a row that one caller had to itself. Written in turns.</summary>
    private int _aloneInARow;

    /// <summary>False: the merger's lane is to be woken. A look that comes late costs a turn on the less fitting thread.</summary>
    private bool TryRunHere(MergedOperation operation)
    {
        if (operation.IsBackground || Volatile.Read(ref _aloneInARow) < AloneBefore || _threads.Mergers.HasWaiting)
            return false;
        if (Merger.LastWriteTime > s_slowWrite || Storage.ScratchPressure >= SlowingPressure || !_threads.Callers.TryEnter())
            return false;
        try
        {
            return _mergerLane.TryRunHere(_runAlone, operation);
        }
        finally
        {
            _threads.Callers.Leave();
        }
    }

    private StepRest RunAlone(MergedOperation operation)
    {
        if (Volatile.Read(ref _closeReason) is not null)
            return StepRest.Again;
        _environment.Committing = Thread.CurrentThread;
        try
        {
            if (Merger.RunAlone(operation, _writeOrHandOver) == MergerStep.Idle)
                return StepRest.Again;
        }
        finally
        {
            _environment.Committing = null;
        }
        _threads.Callers.Count();
        // Whoever submitted something meanwhile has woken the lane; a failure woke nobody.
        return Storage.Poison is null ? StepRest.Idle : StepRest.Again;
    }
}

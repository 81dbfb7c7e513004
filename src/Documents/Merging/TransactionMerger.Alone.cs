using Jackdaw.Documents.Commands;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Merging;

/// <summary>
/// A turn on the thread of a caller, for one operation while nobody else is at work: docs/decisions/0058-turns-of-callers.md.
/// </summary>
internal sealed partial class TransactionMerger
{
    private int _isInTurn;

    // The operation of the caller whose thread runs this turn, and that thread. Written in the turn; the journal's thread, which may
    // end the commit meanwhile, learns from the second that it is another.
    private MergedOperation? _callersOwn;
    private int _callersThread;

    /// <summary>How long the last commit took to become durable.</summary>
    public TimeSpan LastWriteTime => _options.Clock.GetElapsedTime(0, Volatile.Read(ref _lastWriteTicks));

    /// <summary>
    /// Executes the operation that this thread has just submitted, if it is all that there is to do, in a transaction of its own, and
    /// begins the commit. An answer to it that comes about on this thread is given at once: its caller, who has not seen its task
    /// yet, then needs no other thread.
    /// </summary>
    /// <param name="operation">The operation.</param>
    /// <param name="committed">Called when the commit has begun; may write the journal.</param>
    /// <returns>As <see cref="RunStep"/>. <see cref="MergerStep.Idle"/>: it was not alone, nothing was executed, and an ordinary step is
    /// due.</returns>
    public MergerStep RunAlone(MergedOperation operation, Action committed)
    {
        bool isTaken = Interlocked.Exchange(ref _isInTurn, 1) != 0;
        if (isTaken && _options.Planted != PlantedMergerFault.TurnBesideTurn)
            return MergerStep.Idle;
        _callersOwn = operation;
        Volatile.Write(ref _callersThread, Environment.CurrentManagedThreadId);
        try
        {
            if (!MayRunAlone(operation))
                return MergerStep.Idle;
            var step = Execute();
            if (step == MergerStep.Committed)
                committed();
            return step;
        }
        finally
        {
            Volatile.Write(ref _callersThread, 0);
            _callersOwn = null;
            EndTurn();
        }
    }

    private bool MayRunAlone(MergedOperation operation)
    {
        bool isBusy = _transaction is not null || JournalWriteIsInFlight || !_waiting.IsEmpty;
        if (isBusy && _options.Planted != PlantedMergerFault.TurnBesideTurn)
            return false;
        if (_environment.Poison is not null || Volatile.Read(ref _journalFailure) is not null)
            return false;
        _queue.TakeAll(_waiting);
        return _waiting.Count == 1 && _waiting.First == operation;
    }

    private bool IsCallersThread => Volatile.Read(ref _callersThread) == Environment.CurrentManagedThreadId;

    private bool IsCallersOwn(MergedOperation operation) => IsCallersThread && _callersOwn == operation;

    /// <summary>Nobody awaits it yet, so nothing of the caller runs in here.</summary>
    private void AnswerCaller(MergedOperation operation, Func<Exception>? failure, Action? afterwards)
    {
        operation.Answer(failure?.Invoke());
        if (afterwards is not null && _watchers.HasNoted)
            RunLater(new AnswerBatch(null, 0, null, new AnsweredTransaction(1, afterwards)));
    }

    /// <summary>Two turns at a time would mix their transactions.</summary>
    private void BeginTurn() => Invariant.Require(Interlocked.Exchange(ref _isInTurn, 1) == 0);

    private void EndTurn() => Volatile.Write(ref _isInTurn, 0);
}

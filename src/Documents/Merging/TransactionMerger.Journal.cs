using Jackdaw.Documents.Commands;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Merging;

/// <summary>The commit on its way to the journal, and what its end brings about.</summary>
internal sealed partial class TransactionMerger
{
    // Written by the merger before the commit, read and cleared on the journal's thread; one write is in flight at a time.
    private OperationList? _inFlight;
    private long _inFlightEtag;
    private long _inFlightSince;

    private long _lastWriteTicks;
    private long _lastDurableEtag;
    private CommitOutcomeUnknownException? _journalFailure;

    /// <summary>A committed transaction is not durable yet.</summary>
    public bool JournalWriteIsInFlight => Volatile.Read(ref _inFlight) is not null;

    /// <summary>Operations of the transaction in flight; 0 when there is none.</summary>
    public int OperationsInFlight => Volatile.Read(ref _inFlight)?.Count ?? 0;

    private void BeginCommit(WriteTransaction transaction, OperationList operations, long lastEtag)
    {
        Invariant.Require(!JournalWriteIsInFlight);
        _inFlightEtag = lastEtag;
        _inFlightSince = _options.Clock.GetTimestamp();
        Volatile.Write(ref _inFlight, operations);
        transaction.Commit(this);
        bool isEarly = _options.Planted == PlantedMergerFault.CallerAnsweredEarly && _callersOwn is not null;
        if (isEarly || _options.Planted == PlantedMergerFault.AnswerBeforeDurable)
            AnswerAll(operations, failure: null, afterwards: null);
    }

    /// <summary><see cref="PlantedMergerFault.RefusalAnsweredAtOnce"/>.</summary>
    private void AnswerAlone(MergedOperation operation)
    {
        var alone = new OperationList();
        alone.Add(operation);
        AnswerAll(alone, failure: null, afterwards: null);
    }

    private void ForgetCommit() => Volatile.Write(ref _inFlight, null);

    void ICommitObserver.Durable(PendingCommit commit)
    {
        Volatile.Write(ref _lastDurableEtag, _inFlightEtag);
        Volatile.Write(ref _lastWriteTicks, _options.Clock.GetTimestamp() - _inFlightSince);
        // The next transaction is completed, and takes their place, only when this one is not in flight any more.
        _watchers.Note(_writer.CompletedChanges);
        End(failure: null);
    }

    void ICommitObserver.Failed(PendingCommit commit, CommitOutcomeUnknownException error)
    {
        Volatile.Write(ref _journalFailure, error);
        End(error);
    }

    private void End(CommitOutcomeUnknownException? failure)
    {
        var operations = _inFlight;
        Invariant.Require(operations is not null);
        if (failure is null)
            AnswerAll(operations, failure: null, _wakeWatchers);
        else
            AnswerAll(operations, () => new CommitOutcomeUnknownException(failure.TransactionId, failure), afterwards: null);
        // Only now may the merger use the list again, and begin the next commit.
        Volatile.Write(ref _inFlight, null);
        // A caller who wrote the journal hands on what is left when its turn ends.
        if (!IsCallersThread)
            _wake();
    }
}

using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Merging;

/// <summary>A commit whose end nobody reported.</summary>
internal sealed partial class TransactionMerger
{
    /// <summary>
    /// A journal step threw something unexpected after the commit in flight had left the queue and before its end was told: the
    /// environment is poisoned, and the commit's callers would wait for ever. Fails them with
    /// <see cref="CommitOutcomeUnknownException"/>. On the merger's thread. False when there is no such commit.
    /// </summary>
    public bool FailsLostCommit()
    {
        // In this order: a poisoned environment takes no further commit, so a journal without work stays without, and whatever
        // it had to tell has been told.
        if (_environment.Poison is not { } cause || _environment.HasJournalWork || !JournalWriteIsInFlight)
            return false;
        var unknown = new CommitOutcomeUnknownException(_environment.DurableTransactionId, cause);
        Volatile.Write(ref _journalFailure, unknown);
        End(unknown);
        return true;
    }
}

using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>The journal step: one pending commit becomes durable.</summary>
public sealed unsafe partial class StorageEnvironment
{
    private const int JournalIsFree = 0;
    private const int JournalHasStep = 1;
    private const int JournalIsTrimmed = 2;

    /// <summary>Who has the journal's buffers.</summary>
    private int _journalUse;

    /// <summary>Commits that are not durable yet.</summary>
    public int PendingCommits
    {
        get
        {
            lock (_lock)
                return _pending.Count;
        }
    }

    /// <summary>A commit is not durable yet, or a journal step that ends one is still running.</summary>
    public bool HasJournalWork => PendingCommits > 0 || Volatile.Read(ref _journalUse) == JournalHasStep;

    /// <summary>
    /// Makes the oldest pending commit durable, in one write, and tells its observer. False when there is none, or another thread is in
    /// this method.
    /// A failed write poisons the environment and fails this commit and all behind it.
    /// </summary>
    public bool RunJournalStep() => RunJournalStep(force: false);

    /// <summary>
    /// The same. In a lazily durable environment, where a step writes one record, <paramref name="force"/> begins a write of everything
    /// committed although none is due (<see cref="NextJournalStep"/>).
    /// </summary>
    public bool RunJournalStep(bool force)
    {
        if (!TryTakeJournal())
            return false;
        try
        {
            if (IsLazy)
                return RunLazyStep(force);
            PendingCommit? commit;
            lock (_lock)
            {
                if (_disposed || !_pending.TryPeek(out commit))
                    return false;
            }
            if (Poison is { } cause)
                FailPending(cause);
            else if (commit.PageCount == 0)
                EndCommit(commit);
            else
                Write(commit);
            return true;
        }
        finally
        {
            Volatile.Write(ref _journalUse, JournalIsFree);
        }
    }

    /// <summary>False while another step runs. A trim is waited for, which is short and asks nothing of the disk: a step that said "nothing
    /// to do" because of it would end a close with commits unwritten.</summary>
    private bool TryTakeJournal()
    {
        var wait = default(SpinWait);
        while (true)
        {
            switch (Interlocked.CompareExchange(ref _journalUse, JournalHasStep, JournalIsFree))
            {
                case JournalIsFree:
                    return true;
                case JournalHasStep:
                    return false;
            }
            wait.SpinOnce();
        }
    }

    private void Write(PendingCommit commit)
    {
        try
        {
            var started = Options.Time.GetTimestamp();
            if (Options.Planted == PlantedFault.AcknowledgeBeforeDurable)
                commit.Observer?.Durable(commit);
            var position = _journal.Append(commit.TransactionId, commit.Pages, Options.Time.GetUtcNow().UtcTicks);
            _pace.Journaled(Options.Time.GetElapsedTime(started));
            PublishDurable(commit, position);
        }
        catch (Exception error) when (IsEngineFault(error))
        {
            PoisonBy(error);
            FailPending(error);
            return;
        }
        EndCommit(commit);
    }

    /// <summary>Readers that begin from now on see the transaction.</summary>
    private void PublishDurable(PendingCommit commit, Journal.JournalPosition position)
    {
        Invariant.Require(position.TransactionId == commit.TransactionId);
        var journalBytes = _journal.Statistics.BytesAppended;
        lock (_lock)
        {
            var snapshot = commit.Snapshot;
            Invariant.Require(snapshot.TransactionId == _durable.TransactionId + 1);
            PublishDurable(snapshot, position, journalBytes);
        }
    }

    /// <summary>The same for a snapshot and those that show the same transaction. Under the lock.</summary>
    private void PublishDurable(Snapshot snapshot, Journal.JournalPosition position, long journalBytes)
    {
        for (; ; snapshot = snapshot.Next)
        {
            snapshot.Position = position;
            snapshot.JournalBytes = journalBytes;
            snapshot.IsJournaled = true;
            if (snapshot.Next is null || snapshot.Next.TransactionId != snapshot.TransactionId)
                break;
        }
        _durable = snapshot;
    }

    private void EndCommit(PendingCommit commit)
    {
        Leave(commit);
        commit.End(durable: true);
        commit.Observer?.Durable(commit);
    }

    private void FailPending(Exception cause)
    {
        while (true)
        {
            PendingCommit? commit;
            lock (_lock)
            {
                if (!_pending.TryPeek(out commit))
                    return;
            }
            Leave(commit);
            commit.End(durable: false);
            commit.Observer?.Failed(commit, new CommitOutcomeUnknownException(commit.TransactionId, cause));
        }
    }

    private void Leave(PendingCommit commit)
    {
        commit.ReleasePages();
        lock (_lock)
        {
            var first = _pending.Dequeue();
            Invariant.Require(first == commit);
            commit.BasedOn.References--;
            Invariant.Require(commit.BasedOn.References >= 0);
        }
    }
}

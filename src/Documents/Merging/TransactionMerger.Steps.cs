using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Merging;

/// <summary>The merger's turns: executing, closing, and dropping what failed.</summary>
internal sealed partial class TransactionMerger
{
    private WriteTransaction? _transaction;
    private OperationList _open = new();
    private OperationList _spare = new();
    private long _executedTicks;
    private bool _mustClose;

    // Taken from the queue and not yet in the open transaction's list: a fault must not lose it.
    private MergedOperation? _executing;

    private long _transactions;
    private long _operations;
    private long _refusals;
    private long _reexecutions;

    /// <summary>
    /// Runs what waits, in the order of arrival, in one write transaction, and closes it by the closing rule. Returns without blocking.
    /// </summary>
    public MergerStep RunStep()
    {
        BeginTurn();
        try
        {
            return RunTurn();
        }
        finally
        {
            EndTurn();
        }
    }

    private MergerStep RunTurn()
    {
        if (Volatile.Read(ref _journalFailure) is { } failure)
            return FailAfterJournal(failure);
        // A commit in flight that may have failed says so itself, and with it what was built on it.
        bool isInFlight = JournalWriteIsInFlight;
        if (isInFlight && (!_options.AsynchronousCommit || _environment.Poison is not null))
            return MergerStep.WaitsForJournal;
        if (_environment.Poison is { } poison)
            return Volatile.Read(ref _journalFailure) is { } failed ? FailAfterJournal(failed) : FailPoisoned(poison);
        if (_transaction is null)
        {
            _queue.TakeAll(_waiting);
            if (_waiting.IsEmpty)
                return MergerStep.Idle;
        }
        return Execute();
    }

    private MergerStep Execute()
    {
        try
        {
            if (_transaction is null)
                Begin();
            return ExecuteAndClose();
        }
        catch (Exception fault)
        {
            // No declared error: whatever it is, what it left half done cannot be trusted.
            // Another thread may have poisoned the environment first. Callers then learn that cause, not the refusal that the merger met.
            _environment.PoisonBy(fault);
            return FailPoisoned(fault is EnvironmentPoisonedException ? _environment.Poison! : fault);
        }
    }

    /// <summary>
    /// The closing rule: as soon as the previous journal write has ended, if this transaction has executed for at least half of
    /// that write's time;
    /// otherwise it first takes what is queued at that moment.
    /// </summary>
    private MergerStep ExecuteAndClose()
    {
        long began = _options.Clock.GetTimestamp();
        while (true)
        {
            if (!JournalWriteIsInFlight)
            {
                long executed = _executedTicks + _options.Clock.GetTimestamp() - began;
                if (!IsFull && executed < Volatile.Read(ref _lastWriteTicks) / 2 || _open.IsEmpty)
                    ExecuteWhatIsQueuedNow();
                return Close();
            }
            if (IsFull)
                break;
            if (_waiting.IsEmpty)
                _queue.TakeAll(_waiting);
            if (_waiting.IsEmpty)
                break;
            ExecuteOne(_waiting.TakeFirst());
        }
        _executedTicks += _options.Clock.GetTimestamp() - began;
        return MergerStep.WaitsForJournal;
    }

    /// <summary>The transaction takes no more: it is large enough, patches have taken long enough in it, or an operation asked
    /// for one of its own.</summary>
    private bool IsFull =>
        _mustClose || _open.Bytes >= _options.Limits.MaxMergedTransactionBytes || _writer.PatchAllowance.IsTransactionOver;

    private void ExecuteWhatIsQueuedNow()
    {
        // A caller executes its own operation and no other.
        if (_callersOwn is null)
            _queue.TakeAll(_waiting);
        while (!_waiting.IsEmpty && !IsFull)
            ExecuteOne(_waiting.TakeFirst());
    }

    private void Begin()
    {
        Invariant.Require(_transaction is null && _open.IsEmpty);
        _transaction = _environment.BeginWrite();
        _writer.Begin(_transaction);
        _writer.PatchAllowance.BeginTransaction();
        _executedTicks = 0;
        _mustClose = false;
    }

    private void ExecuteOne(MergedOperation operation)
    {
        if (operation.Refusal is DamagedPageException)
        {
            // It met damage in a transaction that was divided since: it is only answered with this one.
            _open.Add(operation);
            return;
        }
        long changesBefore = _writer.Changes;
        _executing = operation;
        try
        {
            _writer.BeginOperation(operation);
            operation.Execute(_writer);
            _writer.EndOperation();
        }
        catch (OperationException refusal)
        {
            // One that was refused before it changed anything left no trace that would have to be undone.
            Refuse(operation, refusal, leftTraces: _writer.Changes != changesBefore);
            return;
        }
        catch (CorruptedDataException damage) when (IsItsOwn(damage))
        {
            RefuseDamaged(operation, damage);
            return;
        }
        catch (TidyingFailedException)
        {
            _executing = null;
            _open.Add(operation);
            ExecuteOthersAgain();
            return;
        }
        catch (LimitExceededException) when (!_open.IsEmpty)
        {
            // Too much together with the others: it gets a transaction of its own.
            _executing = null;
            _waiting.AddFirst(operation);
            _mustClose = true;
            ExecuteOthersAgain();
            return;
        }
        catch (LimitExceededException tooLarge)
        {
            Refuse(operation, new OperationTooLargeException(tooLarge), leftTraces: true);
            return;
        }
        catch (DiskFullException full)
        {
            _executing = null;
            _open.Add(operation);
            RefuseAll(full);
            return;
        }
        _executing = null;
        _open.Add(operation);
    }

    private void Refuse(MergedOperation operation, OperationException refusal, bool leftTraces)
    {
        operation.Refusal = refusal;
        _executing = null;
        if (_options.Planted == PlantedMergerFault.RefusalAnsweredAtOnce && !leftTraces)
        {
            AnswerAlone(operation);
            return;
        }
        _open.Add(operation);
        if (leftTraces)
            ExecuteOthersAgain();
    }

    /// <summary>Ends the open transaction, if any, without a trace and without an answer: for whoever plays a crash.</summary>
    internal void Abandon() => Drop();

    private void Drop()
    {
        _writer.Abandon();
        _transaction?.Dispose();
        _transaction = null;
    }

    /// <summary>Begins the commit; or, where nothing was changed, answers at once: the journal write before has ended, so what
    /// was seen is durable.</summary>
    private MergerStep Close()
    {
        Invariant.Require(!JournalWriteIsInFlight && _transaction is not null);
        while (_writer.Changes != 0)
        {
            try
            {
                Commit();
                return MergerStep.Committed;
            }
            catch (LimitExceededException tooLarge)
            {
                // The counters, which are written last, need pages too.
                TakeLess(tooLarge);
                ExecuteOthersAgain();
            }
            catch (TidyingFailedException)
            {
                ExecuteOthersAgain();
            }
            catch (DiskFullException full)
            {
                RefuseAll(full);
            }
        }
        return EndWithoutCommit();
    }

    private void Commit()
    {
        var committed = _open;
        int refused = CountRefused(committed);
        int kept = committed.Count - refused;
        (_open, _spare) = (_spare, committed);
        bool isOnItsWay = false;
        try
        {
            _writer.Complete();
            BeginCommit(_transaction!, committed, _writer.LastEtag);
            isOnItsWay = true;
        }
        finally
        {
            // Whatever the reason (no room, or a poison that came meanwhile): the journal has nothing of it, so nobody else would
            // answer its operations.
            if (!isOnItsWay && _options.Planted != PlantedMergerFault.UnansweredCommit)
            {
                ForgetCommit();
                (_open, _spare) = (committed, _open);
            }
        }
        _transaction = null;
        _transactions++;
        _operations += kept;
        _refusals += refused;
    }

    private static int CountRefused(OperationList operations)
    {
        int refused = 0;
        for (var operation = operations.First; operation is not null; operation = operation.Next)
            refused += operation.Refusal is null ? 0 : 1;
        return refused;
    }

    private MergerStep EndWithoutCommit()
    {
        Drop();
        int refused = CountRefused(_open);
        _refusals += refused;
        _operations += _open.Count - refused;
        AnswerAll(_open, failure: null, afterwards: null);
        return MergerStep.Ended;
    }

    /// <summary>The journal write that the open transaction was built on failed.</summary>
    private MergerStep FailAfterJournal(CommitOutcomeUnknownException failure)
    {
        Drop();
        var cause = failure.InnerException ?? failure;
        AnswerAll(_open, () => new CommitOutcomeUnknownException(failure.TransactionId + 1, cause), afterwards: null);
        return FailQueued(cause);
    }

    private MergerStep FailPoisoned(Exception cause)
    {
        if (_executing is { } offender)
            _open.Add(offender);
        _executing = null;
        Drop();
        AnswerAll(_open, () => Refused(cause), afterwards: null);
        return FailQueued(cause);
    }

    private MergerStep FailQueued(Exception cause)
    {
        Interlocked.CompareExchange(ref _refusal, cause, null);
        _queue.Close(_waiting);
        AnswerAll(_waiting, () => Refused(cause), afterwards: null);
        return MergerStep.Idle;
    }
}

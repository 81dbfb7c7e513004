using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Merging;

/// <summary>The merger's own thread: executing, closing, and dropping what failed.</summary>
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
        try
        {
            if (_transaction is null)
                Begin();
            return ExecuteAndClose();
        }
        catch (Exception fault)
        {
            // No declared error: whatever it is, what it left half done cannot be trusted.
            _environment.PoisonBy(fault);
            return FailPoisoned(fault);
        }
    }

    /// <summary>
    /// The closing rule: as soon as the previous journal write has ended, if this transaction has executed for at least half of that write's time;
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

    /// <summary>The transaction takes no more: it is large enough, or an operation asked for one of its own.</summary>
    private bool IsFull => _mustClose || _open.Bytes >= _options.Limits.MaxMergedTransactionBytes;

    private void ExecuteWhatIsQueuedNow()
    {
        _queue.TakeAll(_waiting);
        while (!_waiting.IsEmpty && !IsFull)
            ExecuteOne(_waiting.TakeFirst());
    }

    private void Begin()
    {
        Invariant.Require(_transaction is null && _open.IsEmpty);
        _transaction = _environment.BeginWrite();
        _writer.Begin(_transaction);
        _executedTicks = 0;
        _mustClose = false;
    }

    private void ExecuteOne(MergedOperation operation)
    {
        long changesBefore = _writer.Changes;
        _executing = operation;
        try
        {
            _writer.BeginOperation();
            operation.Execute(_writer);
        }
        catch (OperationException refusal)
        {
            operation.Refusal = refusal;
            // One that was refused before it changed anything left no trace that would have to be undone.
            if (_writer.Changes != changesBefore)
                ExecuteOthersAgain();
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
            operation.Refusal = new OperationTooLargeException(tooLarge);
            ExecuteOthersAgain();
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

    /// <summary>Drops the transaction and executes its operations again, in order, without those refused.</summary>
    private void ExecuteOthersAgain()
    {
        bool isDone;
        do
        {
            _reexecutions++;
            Drop();
            _transaction = _environment.BeginWrite();
            _writer.Begin(_transaction);
            isDone = TryExecuteAgain();
        }
        while (!isDone);
    }

    /// <summary>False when one more was refused on the way.</summary>
    private bool TryExecuteAgain()
    {
        for (var operation = _open.First; operation is not null; operation = operation.Next)
        {
            if (operation.Refusal is not null)
                continue;
            try
            {
                _writer.BeginOperation();
                operation.Execute(_writer);
            }
            catch (OperationException refusal)
            {
                operation.Refusal = refusal;
                return false;
            }
            catch (DiskFullException full)
            {
                RefuseAll(full);
                return true;
            }
        }
        return true;
    }

    /// <summary>There is no room: every operation of the transaction is refused, and the next one begins anew.</summary>
    private void RefuseAll(DiskFullException full)
    {
        Drop();
        for (var operation = _open.First; operation is not null; operation = operation.Next)
            operation.Refusal ??= new OutOfDiskException(_options.DatabaseName, full);
        _transaction = _environment.BeginWrite();
        _writer.Begin(_transaction);
        _mustClose = true;
    }

    /// <summary>Ends the open transaction, if any, without a trace and without an answer: for whoever plays a crash.</summary>
    internal void Abandon() => Drop();

    private void Drop()
    {
        _writer.Abandon();
        _transaction?.Dispose();
        _transaction = null;
    }

    /// <summary>Begins the commit; or, where nothing was changed, answers at once: the journal write before has ended, so what was seen is durable.</summary>
    private MergerStep Close()
    {
        Invariant.Require(!JournalWriteIsInFlight && _transaction is not null);
        for (var operation = _open.First; operation is not null; operation = operation.Next)
        {
            if (operation.Refusal is null)
                _operations++;
            else
                _refusals++;
        }
        if (_writer.Changes == 0)
            return EndWithoutCommit();
        try
        {
            Commit();
            return MergerStep.Committed;
        }
        catch (DiskFullException full)
        {
            RefuseAll(full);
            return EndWithoutCommit();
        }
    }

    private void Commit()
    {
        var committed = _open;
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
            // Whatever the reason (no room, or a poison that came meanwhile): the journal has nothing of it, so nobody else would answer its operations.
            if (!isOnItsWay)
            {
                ForgetCommit();
                (_open, _spare) = (committed, _open);
            }
        }
        _transaction = null;
        _transactions++;
    }

    private MergerStep EndWithoutCommit()
    {
        Drop();
        AnswerAll(_open, failure: null, afterwards: null);
        return MergerStep.Ended;
    }

    /// <summary>The journal write that the open transaction was built on failed.</summary>
    private MergerStep FailAfterJournal(CommitOutcomeUnknownException failure)
    {
        Drop();
        AnswerAll(_open, new CommitOutcomeUnknownException(failure.TransactionId + 1, failure.InnerException ?? failure), afterwards: null);
        return FailQueued(failure.InnerException ?? failure);
    }

    private MergerStep FailPoisoned(Exception cause)
    {
        if (_executing is { } offender)
            _open.Add(offender);
        _executing = null;
        Drop();
        AnswerAll(_open, Refused(cause), afterwards: null);
        return FailQueued(cause);
    }

    private MergerStep FailQueued(Exception cause)
    {
        Interlocked.CompareExchange(ref _refusal, cause, null);
        _queue.Close(_waiting);
        AnswerAll(_waiting, Refused(cause), afterwards: null);
        return MergerStep.Idle;
    }
}

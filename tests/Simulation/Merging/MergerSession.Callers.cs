using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Merging;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Merging;

/// <summary>What is submitted, and what becomes of it.</summary>
internal sealed partial class MergerSession
{
    private const int MostUnanswered = 300;

    /// <summary>Accepted and in no ended transaction yet, in the order of arrival.</summary>
    private readonly Queue<SimulatedOperation> _submitted = new();

    /// <summary>What callers were answered with: one object each.</summary>
    private readonly HashSet<Exception> _errors = new(ReferenceEqualityComparer.Instance);

    private int _unanswered;

    /// <summary>The statistics before the turn that a caller runs.</summary>
    private MergerStatistics _beforeCallersStep;

    /// <summary>The disk was full at a step of the transaction that is open, though it may have room again when that one ends.</summary>
    private bool _wasFull;

    private void SubmitSome()
    {
        for (var i = _random.Next(5); i >= 0 && _unanswered < MostUnanswered && _environment.Poison == null; i--)
        {
            // A caller knows what he has read, or what he guesses that others are writing.
            var known = _ledger.StateOf(_random.Coin() ? _ledger.Last : _environment.DurableTransactionId);
            if (!Submit(Draw(known)))
                return;
        }
    }

    private SimulatedOperation Draw(DatabaseState known) => _history.Traffic.Draw(known, Cleaning, _snapshots, DurableNumber, _expirer);

    /// <summary>False when too much waits.</summary>
    private bool Submit(SimulatedOperation operation)
    {
        ValueTask task;
        if (_history.CallersRunTurns && _random.OneIn(10))
            operation.Meanwhile = SubmitMeanwhile;
        // A turn that the caller runs, and what comes meanwhile, find it there.
        _submitted.Enqueue(operation);
        _unanswered++;
        try
        {
            task = _merger.Submit(operation);
        }
        catch (MergerQueueFullException)
        {
            Forget(operation);
            _unanswered--;
            OracleException.Require(_unanswered > 0, $"{operation}: turned away where nothing waits");
            _history.Counts.TurnedAway++;
            operation.Return();
            return false;
        }
        catch
        {
            Forget(operation);
            _unanswered--;
            throw;
        }
        _history.Counts.Submitted++;
        var awaiter = task.ConfigureAwait(false).GetAwaiter();
        if (awaiter.IsCompleted)
            Await();
        else
            awaiter.UnsafeOnCompleted(Await);
        return true;

        void Await()
        {
            try
            {
                awaiter.GetResult();
                Answered(operation, null);
            }
            catch (Exception answer) when (answer is OperationException or StorageException or DatabaseUnavailableException)
            {
                Answered(operation, answer);
            }
        }
    }

    /// <summary>Somebody submits while the merger executes.</summary>
    private void SubmitMeanwhile()
    {
        if (_environment.Poison == null && !_isClosing && _unanswered < MostUnanswered)
            Submit(_history.Traffic.DrawPut(_ledger.StateOf(_environment.DurableTransactionId)));
    }

    /// <summary>The caller runs a turn, if chance will have it, as a host lets it while few are at work.</summary>
    private bool TryRunHere(MergedOperation operation)
    {
        if (!_history.CallersRunTurns || _isClosing || _random.Coin() || _environment.ScratchPressure >= 0.75)
            return false;
        _wasFull |= _disk.IsFull;
        _beforeCallersStep = _merger.Statistics;
        var step = _merger.RunAlone(operation, CallerCommitted);
        if (_disk.IsOut)
            throw new PowerCutException();
        if (step == MergerStep.Ended)
            EndStep(step, _beforeCallersStep);
        if (step != MergerStep.Idle)
            _history.Counts.CallersTurns++;
        if (step == MergerStep.Idle || _environment.Poison != null)
            _isWoken = true;
        return true;
    }

    /// <summary>A caller writes what it has committed, or leaves that to the journal's thread.</summary>
    private void CallerCommitted()
    {
        if (_disk.IsOut)
            return;
        EndStep(MergerStep.Committed, _beforeCallersStep);
        if (!_random.OneIn(4))
            _environment.RunJournalStep();
    }

    /// <summary>The merger's thread, as its host runs it: not while scratch is full and no transaction is open.</summary>
    private MergerStep RunMerger()
    {
        if (!_isClosing && !_merger.HasOpenTransaction && _environment.ScratchPressure >= 1 && _environment.Poison == null)
        {
            _history.Counts.ScratchWaits++;
            return MergerStep.WaitsForJournal;
        }
        _isWoken = false;
        _wasFull |= _disk.IsFull;
        var before = _merger.Statistics;
        var step = _merger.RunStep();
        if (_disk.IsOut)
            throw new PowerCutException();
        EndStep(step, before);
        return step;
    }

    private void EndStep(MergerStep step, MergerStatistics before)
    {
        var after = _merger.Statistics;
        _history.Counts.Reexecutions += after.Reexecutions - before.Reexecutions;
        var ended = after.Operations + after.Refusals - before.Operations - before.Refusals;
        OracleException.Require(
            ended > 0 == step is MergerStep.Committed or MergerStep.Ended,
            $"a step came to {step}, with {ended} operations"
        );
        if (ended > 0)
        {
            EndTransaction((int)ended, isCommitted: step == MergerStep.Committed);
            _wasFull = false;
        }
    }

    /// <summary>
    /// The oldest operations went through one transaction, in the order of their arrival: each was made of the state that those
    /// before it left, kept or refused as the
    /// model says.
    /// </summary>
    private void EndTransaction(int count, bool isCommitted)
    {
        OracleException.Require(count <= _submitted.Count, $"{count} operations were executed, of {_submitted.Count}");
        var operations = new List<SimulatedOperation>();
        for (var i = 0; i < count; i++)
            operations.Add(_submitted.Dequeue());
        var state = _ledger.StateOf(_ledger.Last);
        var before = state;
        var withoutRoom = 0;
        var metDamage = 0;
        foreach (var operation in operations)
        {
            _disk.Trace.Output?.WriteLine(
                $"       {operation}: {operation.Refusal?.GetType().Name ?? "kept"} after {operation.Executions} executions"
            );
            if (operation.Refusal is OutOfDiskException full)
            {
                OracleException.Require(
                    _history.IsTheDisks(full.InnerException) || _wasFull,
                    $"{operation}: refused for want of room where there is some"
                );
                withoutRoom++;
            }
            else if (operation.Refusal is DamagedPageException damaged)
            {
                OracleException.Require(
                    _history.Damage is { } damage && damage.IsMetBy(damaged.Damage),
                    $"{operation}: refused for damage that there is not: {damaged.Message}"
                );
                OracleException.Require(
                    _history.Damage!.MayRefuse && !damaged.Damage.IsShared,
                    $"{operation}: refused for damage that concerns everybody: {damaged.Message}"
                );
                metDamage++;
            }
            else if (operation.Refusal is OperationTooLargeException)
            {
                OracleException.Require(_history.HasSmallTransactions && !operation.IsSmall, $"{operation}: refused as too large");
                _history.Counts.TooLarge++;
            }
            else
            {
                state = operation.Judge(state, operation.Refusal);
            }
        }
        OracleException.Require(
            withoutRoom == 0 || withoutRoom + metDamage == count && !isCommitted,
            $"of a transaction of {count} operations {withoutRoom} were refused for want of room"
        );
        OracleException.Require(
            isCommitted || ReferenceEquals(state, before),
            "a transaction that changes something ends without a commit"
        );
        if (isCommitted)
        {
            _ledger.Commit(state);
            _history.Counts.Commits++;
        }
        foreach (var operation in operations)
            operation.Transaction = _ledger.Last;
    }

    /// <summary>One of the waiting answers, whichever: the thread pool keeps no order. False when there is none.</summary>
    private bool RunAnswer()
    {
        if (_answers.Count == 0)
            return false;
        var i = _random.Next(_answers.Count);
        var answer = _answers[i];
        _answers.RemoveAt(i);
        answer.Execute();
        return true;
    }

    private void Answered(SimulatedOperation operation, Exception? answer)
    {
        _disk.Trace.AddStep(answer?.GetType().Name ?? "acknowledged", operation.Number);
        OracleException.Require(!operation.IsAnswered, $"{operation} is answered twice");
        operation.IsAnswered = true;
        operation.AnsweredWith = answer;
        OracleException.Require(answer == null || _errors.Add(answer), $"{operation} is answered with another's exception object");
        _unanswered--;
        switch (answer)
        {
            case null or OperationException:
                // Both rest on a state: that of its transaction, or the one that it saw.
                OracleException.Require(operation.Transaction != 0, $"{operation} is answered before its transaction has ended");
                OracleException.Require(
                    operation.Transaction <= _environment.DurableTransactionId,
                    $"{operation} is answered, and transaction {operation.Transaction} is not durable yet"
                );
                OracleException.Require(
                    ReferenceEquals(answer, operation.Refusal),
                    $"{operation} is answered with something else than it came to"
                );
                _ledger.Promise(operation.Transaction);
                _history.Counts.Count(answer);
                break;
            case CommitOutcomeUnknownException:
                OracleException.Require(_environment.Poison != null, $"{operation}: an outcome is unknown on a sound environment");
                OracleException.Require(
                    operation.Transaction == 0 || operation.Transaction > _environment.DurableTransactionId,
                    $"{operation}: its outcome is called unknown, and it is durable"
                );
                _history.Counts.OutcomesUnknown++;
                break;
            case EnvironmentPoisonedException:
                OracleException.Require(
                    _environment.Poison != null && operation.Transaction == 0,
                    $"{operation} is refused, and its transaction was committed"
                );
                break;
            default:
                OracleException.Require(_isClosing && operation.Transaction == 0, $"{operation} is refused with {answer.Message}");
                break;
        }
        if (operation.Transaction == 0)
            Forget(operation);
        operation.Return();
    }

    /// <summary>Nothing came of it: the merger does not come back to it.</summary>
    private void Forget(SimulatedOperation operation)
    {
        var left = _submitted.Where(other => other != operation).ToList();
        _submitted.Clear();
        left.ForEach(_submitted.Enqueue);
    }

    /// <param name="expected">Null: whatever says no.</param>
    private void ExpectRefusedAtTheDoor(Type? expected)
    {
        try
        {
            Submit(Draw(_ledger.StateOf(_environment.DurableTransactionId)));
        }
        catch (Exception refusal) when (refusal is StorageException or DatabaseUnavailableException)
        {
            OracleException.Require(
                expected == null || refusal.GetType() == expected,
                $"refused at the door with {refusal.GetType().Name} instead of {expected}"
            );
            return;
        }
        throw new OracleException("An operation is accepted that nobody will execute.");
    }
}

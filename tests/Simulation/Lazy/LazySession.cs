using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Workloads;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Lazy;

/// <summary>One opening of a lazily durable environment: a writer, readers, waits and steps, in the order that chance dictates.</summary>
internal sealed class LazySession : IDisposable
{
    private const int MaxReaders = 5;

    private readonly LazyHistory _history;
    private readonly StorageEnvironment _environment;
    private readonly SimulatedRandom _random;
    private readonly SimulatedDisk _disk;
    private readonly LazyLedger _ledger;
    private readonly List<IWorkload> _workloads;
    private readonly List<LazyReader> _readers = [];
    private readonly List<(Task Task, long Transaction, int Generation)> _waits = [];
    private readonly List<(PendingCommit Commit, int Generation)> _commits = [];
    private readonly WeightedSteps _steps;
    private WriteTransaction? _writer;
    private object[]? _writerState;
    private int _generation;

    public LazySession(LazyHistory history, StorageEnvironment environment)
    {
        _history = history;
        _environment = environment;
        _generation = environment.Generation;
        _random = history.Random;
        _disk = history.Disk;
        _ledger = history.Ledger;
        _workloads = history.Workloads;
        _steps = new WeightedSteps(
            history.StepWeights,
            ("change", Change),
            ("commit", Commit),
            ("abort", EndWriter),
            ("large transaction", CommitLarge),
            ("clear", Clear),
            ("journal", () => Repeat(3, JournalWhenDue)),
            ("journal now", () => Repeat(4, () => _environment.RunJournalStep(force: true))),
            ("make durable", MakeDurable),
            ("flush", () => Repeat(6, () => _environment.RunFlushStep(force: _random.Coin()))),
            ("sync", () => Repeat(4, () => _environment.RunSyncStep(force: _random.Coin()))),
            ("spare", () => Repeat(4, _environment.RunSpareStep)),
            ("drain", Drain),
            ("open reader", OpenReader),
            ("read", Read),
            ("close readers", CloseReaders),
            ("time", () => history.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(80)))),
            ("full disk", () => _disk.IsFull = _random.OneIn(3))
        );
    }

    /// <summary>A step at a time, until the given number or until the environment refuses to go on.</summary>
    public void Run(int steps)
    {
        for (var i = 0; i < steps && _environment.Poison == null; i++)
        {
            _history.Counts.Steps++;
            var (name, step) = _steps.Draw(_random);
            _disk.Trace.AddStep(name, _ledger.Last);
            try
            {
                step();
            }
            catch (DiskException error) when (_history.MayFailNow(error))
            {
                // One transaction or reader is refused or given up; nothing else changes.
                _history.Counts.Refusals++;
                EndWriter();
            }
            Observe();
        }
        if (_environment.Poison is { } poison)
        {
            _history.Counts.Poisonings++;
            if (poison is not DiskException error || !_history.MayFailNow(error) || !_history.MayBePoisoned)
                throw new OracleException("The environment was poisoned without cause.", poison);
        }
    }

    /// <summary>Everything ends in order, and all of it is durable.</summary>
    public void CloseCleanly()
    {
        _disk.IsFull = false;
        EndTransactions(verify: true);
        Observe();
        _environment.CloseCleanly();
        OracleException.Require(_environment.Generation == _generation, "a clean end on a sound disk rolled back");
        if (_environment.Poison == null)
            _ledger.BecomeDurable(_ledger.Last);
        OracleException.Require(_waits.TrueForAll(wait => wait.Task.IsCompleted), "a wait for durability outlives the environment");
    }

    /// <summary>The process is gone, or the power: only this process's memory is given back, the disk is not touched.</summary>
    public void Dispose()
    {
        EndTransactions(verify: false);
        _disk.Detach();
        _environment.Dispose();
    }

    /// <summary>What the environment says of itself, after every step.</summary>
    private void Observe()
    {
        if (_environment.Generation != _generation)
            ObserveRollBack();
        _ledger.BecomeDurable(_environment.DurableTransactionId);
        for (var i = _waits.Count - 1; i >= 0; i--)
        {
            var (task, transaction, generation) = _waits[i];
            if (!task.IsCompleted)
            {
                OracleException.Require(
                    generation == _generation && _ledger.Durable < transaction,
                    $"the wait for transaction {transaction} does not end"
                );
                continue;
            }
            _waits.RemoveAt(i);
            if (task.IsCompletedSuccessfully)
                _ledger.BecomeDurable(Math.Max(_ledger.Durable, transaction));
            else
                OracleException.Require(
                    task.Exception!.InnerException is RolledBackException && generation < _generation || _environment.Poison != null,
                    $"a wait for durability failed: {task.Exception!.InnerException!.Message}"
                );
        }
        OracleException.Require(
            _environment.VisibleTransactionId == _ledger.Last,
            $"transaction {_environment.VisibleTransactionId} is the newest to be seen, where {_ledger.Last} was committed"
        );
        for (var tries = _random.Next(3); tries > 0 && _commits.Count > 0; tries--)
            CheckCommit(_random.Next(_commits.Count));
        _ledger.Forget();
    }

    private void ObserveRollBack()
    {
        var told = _environment.LastRollBack!;
        _history.Counts.RollBacks++;
        _history.Counts.RollBacksThatMayReturn += told.MayReturn ? 1 : 0;
        OracleException.Require(told.Generation == _generation + 1, $"generation {told.Generation} follows {_generation}");
        OracleException.Require(
            told.Cause is DiskException cause && _history.MayFailNow(cause),
            $"rolled back without cause: {told.Cause.Message}"
        );
        // Something may have become durable in the same step, before the write that failed.
        _ledger.BecomeDurable(told.To);
        _ledger.RollBack(told.From, told.To, told.MayReturn);
        _generation = told.Generation;
        foreach (var reader in _readers)
            reader.IsRolledBack |= reader.Transaction.Id > told.To;
    }

    private void CheckCommit(int i)
    {
        var (commit, generation) = _commits[i];
        var isDurable = commit.TransactionId <= _ledger.Durable && generation == _generation;
        if (generation == _generation)
            OracleException.Require(
                commit.IsDurable == isDurable && !commit.HasFailed,
                $"commit {commit.TransactionId} says the wrong thing of itself; {_ledger.Durable} is durable"
            );
        else
            OracleException.Require(commit.IsDurable != commit.HasFailed, $"commit {commit.TransactionId} has no end, or two");
        if (isDurable || commit.HasFailed || _commits.Count > 50)
            _commits.RemoveAt(i);
    }

    /// <summary>A few steps of the same sort while they have work.</summary>
    private void Repeat(int most, Func<bool> step)
    {
        for (var i = _random.Next(most); i >= 0 && step(); i--) { }
    }

    /// <summary>A step has work when the environment says so, and only then.</summary>
    private bool JournalWhenDue()
    {
        var until = _environment.NextJournalStep();
        var did = _environment.RunJournalStep();
        OracleException.Require(
            did == (until == TimeSpan.Zero) || _environment.Poison != null,
            $"a journal step {(did ? "works" : "does nothing")}, due in {until}"
        );
        return did;
    }

    private void MakeDurable()
    {
        _history.Counts.WaitsForDurability++;
        _waits.Add((_environment.MakeDurableAsync(), _ledger.Last, _generation));
        OracleException.Require(
            _environment.NextJournalStep() == (_ledger.Last > _ledger.Durable ? TimeSpan.Zero : Timeout.InfiniteTimeSpan),
            "a wait for durability makes no write due, or one without need"
        );
    }

    private void Change()
    {
        if (_writer == null)
        {
            _writer = _environment.BeginWrite();
            _writerState = (object[])_ledger.StateOf(_ledger.Last).Clone();
            OracleException.Require(_writer.Id == _ledger.Last + 1, $"the writer has number {_writer.Id} after {_ledger.Last}");
            OracleException.Require(_writer.Generation == _generation, "the writer is of another generation");
            if (_random.OneIn(4))
                Verify(_writer, _writerState, 0.3);
        }
        for (var changes = _random.Next(1, 5); changes > 0; changes--)
        {
            var i = _random.Next(_workloads.Count);
            _writerState![i] = _workloads[i].Change(_writer, _writerState[i], _random);
        }
    }

    private void Commit()
    {
        if (_writer == null)
            return;
        if (_random.OneIn(8))
            Verify(_writer, _writerState!, 1);
        var (writer, state) = (_writer, _writerState!);
        (_writer, _writerState) = (null, null);
        PendingCommit commit;
        try
        {
            commit = writer.Commit();
        }
        catch (RolledBackException)
        {
            OracleException.Require(writer.Generation < _generation, "a commit was refused for a roll back that was not");
            return;
        }
        OracleException.Require(writer.Generation == _generation, "a commit builds on what was rolled back");
        if (commit.TransactionId == _ledger.Last)
            return;
        _ledger.Commit(commit.TransactionId, state);
        _commits.Add((commit, _generation));
        _history.Counts.Commits++;
        if (_random.OneIn(6))
            OpenReader();
    }

    private void CommitLarge()
    {
        for (var i = _random.Next(5, 25); i > 0; i--)
            Change();
        Commit();
    }

    private void Clear()
    {
        Change();
        for (var i = 0; i < _workloads.Count; i++)
            _writerState![i] = _workloads[i].Clear(_writer!, _writerState[i]);
        Commit();
    }

    private void Drain()
    {
        while (_environment.RunJournalStep(force: true)) { }
        if (_environment.Poison == null && _random.Coin())
        {
            while (_environment.RunFlushStep(force: true)) { }
            while (_environment.RunSyncStep(force: true)) { }
        }
    }

    private void OpenReader()
    {
        if (_readers.Count >= MaxReaders)
            CloseReader();
        var reader = _environment.BeginRead("simulated");
        OracleException.Require(reader.Id == _ledger.Last, $"a new reader sees transaction {reader.Id} where {_ledger.Last} is the newest");
        _readers.Add(new LazyReader(reader, _ledger.StateOf(reader.Id)));
    }

    private void Read()
    {
        if (_readers.Count > 0)
            Verify(_readers[_random.Next(_readers.Count)], 0.5);
    }

    private void CloseReaders()
    {
        for (var i = _random.OneIn(3) ? MaxReaders : 1; i > 0; i--)
            CloseReader();
    }

    private void CloseReader()
    {
        if (_readers.Count == 0)
            return;
        var i = _random.Next(_readers.Count);
        var reader = _readers[i];
        if (_random.Coin())
            Verify(reader, 1);
        _history.Counts.ReadersVerified++;
        _readers.RemoveAt(i);
        reader.Transaction.Dispose();
    }

    private void Verify(LazyReader reader, double share)
    {
        OracleException.Require(
            reader.Transaction.IsRolledBack == reader.IsRolledBack,
            $"a reader of transaction {reader.Transaction.Id} says wrongly whether that was rolled back"
        );
        Verify(reader.Transaction, reader.State, share);
    }

    private void Verify(PageTransaction transaction, object[] state, double share)
    {
        for (var i = 0; i < _workloads.Count; i++)
            _workloads[i].Verify(transaction, state[i], share, _random);
    }

    private void EndWriter()
    {
        if (_writer != null)
            _history.Counts.Aborts++;
        _writer?.Dispose();
        (_writer, _writerState) = (null, null);
    }

    private void EndTransactions(bool verify)
    {
        EndWriter();
        foreach (var reader in _readers)
        {
            if (verify)
                Verify(reader, 1);
            reader.Transaction.Dispose();
        }
        _readers.Clear();
    }
}

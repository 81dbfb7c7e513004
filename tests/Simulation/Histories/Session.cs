using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Workloads;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Histories;

/// <summary>One opening of the environment: a writer, readers and the background steps, in the order that chance dictates.</summary>
internal sealed class Session : ICommitObserver, IDisposable
{
    private const int MaxReaders = 5;
    private const int MaxPending = 6;

    private readonly SimulatedHistory _history;
    private readonly StorageEnvironment _environment;
    private readonly SimulatedRandom _random;
    private readonly SimulatedDisk _disk;
    private readonly Ledger _ledger;
    private readonly IReadOnlyList<IWorkload> _workloads;
    private readonly List<OpenReader> _readers = [];
    private readonly WeightedSteps _steps;
    private WriteTransaction? _writer;
    private object[]? _writerState;
    private CopyUnderWay? _copy;

    public Session(SimulatedHistory history, StorageEnvironment environment)
    {
        _history = history;
        _environment = environment;
        _random = history.Random;
        _disk = history.Disk;
        _ledger = history.Ledger;
        _workloads = history.Workloads;
        _steps = new WeightedSteps(
            history.StepWeights,
            ("change", Change),
            ("commit", Commit),
            ("abort", Abort),
            ("large transaction", CommitLarge),
            ("clear", Clear),
            ("journal", () => Repeat(3, () => _environment.RunJournalStep())),
            ("flush", () => Repeat(6, () => Flush(force: _random.Coin()))),
            ("sync", Sync),
            ("spare", () => Repeat(4, _environment.RunSpareStep)),
            ("drain", Drain),
            ("open reader", OpenReader),
            ("read", Read),
            ("close readers", CloseReaders),
            ("time", () => history.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(40)))),
            ("full disk", () => _disk.IsFull = _random.OneIn(3)),
            ("copy", Copy)
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
            catch (DiskException error) when (_history.MayFail(error))
            {
                // One transaction, reader or copy is refused or given up; nothing else changes.
                _history.Counts.Refusals++;
                EndWriter();
                EndCopy();
            }
        }
        if (_environment.Poison is { } poison)
        {
            _history.Counts.Poisonings++;
            if (poison is not DiskException error || !_history.MayFail(error))
                throw new OracleException("The environment was poisoned without cause.", poison);
            ReadOnPoisoned();
        }
    }

    /// <summary>Syncs what can be synced and recycles what that leaves behind: a header destroyed now shows whether the other
    /// still has all that it needs.</summary>
    public void Settle()
    {
        _disk.IsFull = false;
        for (var rounds = 1 + _random.Next(4); rounds > 0; rounds--)
        {
            CommitLarge();
            CommitAndFlush();
            while (_environment.RunSyncStep(force: true)) { }
            Repeat(8, _environment.RunSpareStep);
        }
    }

    /// <summary>Everything ends in order.</summary>
    public void CloseCleanly()
    {
        EndTransactions(verify: true);
        _disk.IsFull = false;
        _history.FlushedUpTo = _ledger.Last;
        _environment.CloseCleanly();
        OracleException.Require(
            _ledger.Acknowledged == _ledger.Last || _environment.Poison != null,
            $"a clean end left {_ledger.Last - _ledger.Acknowledged} commits without an answer"
        );
    }

    /// <summary>The process is gone, or the power: only this process's memory is given back, the disk is not touched.</summary>
    public void Dispose()
    {
        EndTransactions(verify: false);
        _disk.Detach();
        _environment.Dispose();
    }

    void ICommitObserver.Durable(PendingCommit commit) => _ledger.Acknowledge(commit.TransactionId);

    void ICommitObserver.Failed(PendingCommit commit, CommitOutcomeUnknownException error) =>
        // Equal: a transaction that changed nothing has the number of the one that it saw.
        OracleException.Require(
            _environment.Poison != null && commit.TransactionId >= _ledger.Acknowledged,
            "a commit fails on a sound environment, or after it was acknowledged"
        );

    /// <summary>A few steps of the same sort while they have work, so that what takes several gets done between the others.</summary>
    private void Repeat(int most, Func<bool> step)
    {
        for (var i = _random.Next(most); i >= 0 && step(); i--) { }
    }

    private bool Flush(bool force)
    {
        _history.FlushedUpTo = Math.Max(_history.FlushedUpTo, _environment.DurableTransactionId);
        return _environment.RunFlushStep(force);
    }

    /// <summary>
    /// Some of the syncs have a flush going on between their stages, and some are followed by a power cut very soon: between a
    /// header and what it
    /// stands for there must be no gap.
    /// </summary>
    private void Sync()
    {
        if (_disk.Session > 0 && _random.OneIn(25))
        {
            SyncAndLosePower();
            return;
        }
        var beside = _random.Coin();
        Repeat(
            4,
            () =>
            {
                if (!_environment.RunSyncStep(force: _random.Coin()))
                    return false;
                if (beside && _environment.RunJournalStep())
                    Repeat(8, () => Flush(force: true));
                return true;
            }
        );
    }

    /// <summary>The power goes out somewhere in a round of sync or just behind it; while its data was synced, a whole flush pass
    /// was done.</summary>
    private void SyncAndLosePower()
    {
        if (_random.OneIn(3))
            _disk.CutPowerIn(1 + _random.Next(30));
        // An old reader holds flush back.
        if (_random.Coin())
            CloseReaders();
        while (_environment.RunSyncStep(force: true)) { }
        CommitAndFlush();
        if (!_environment.RunSyncStep(force: true))
            return;
        CommitAndFlush();
        Repeat(4, () => _environment.RunSyncStep(force: true));
        _disk.CutPowerIn(1 + _random.Next(4));
    }

    private void CommitAndFlush()
    {
        if (_environment.Poison != null)
            return;
        Change();
        Commit();
        while (_environment.RunJournalStep()) { }
        while (Flush(force: true)) { }
    }

    private void Change()
    {
        if (_writer == null)
        {
            if (_environment.PendingCommits >= MaxPending)
                return;
            _writer = _environment.BeginWrite();
            _writerState = (object[])_ledger.StateOf(_ledger.Last).Clone();
            OracleException.Require(_writer.Id == _ledger.Last + 1, $"the writer has number {_writer.Id} after {_ledger.Last}");
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
        var commit = writer.Commit(this);
        if (commit.TransactionId == _ledger.Last)
            return;
        _ledger.Commit(commit.TransactionId, state);
        _history.Counts.Commits++;
    }

    private void Abort()
    {
        if (_writer == null)
            return;
        _history.Counts.Aborts++;
        EndWriter();
    }

    private void CommitLarge()
    {
        for (var i = _random.Next(5, 25); i > 0; i--)
        {
            Change();
            if (_writer == null)
                return;
        }
        Commit();
    }

    private void Clear()
    {
        Change();
        if (_writer == null)
            return;
        for (var i = 0; i < _workloads.Count; i++)
            _writerState![i] = _workloads[i].Clear(_writer, _writerState[i]);
        Commit();
    }

    private void Drain()
    {
        while (_environment.RunJournalStep()) { }
        if (_environment.Poison == null && _random.Coin())
        {
            while (Flush(force: true)) { }
            while (_environment.RunSyncStep(force: true)) { }
        }
    }

    private void OpenReader()
    {
        if (_readers.Count >= MaxReaders)
            CloseReader();
        var reader = _environment.BeginRead("simulated");
        _ledger.Publish(reader.Id);
        _readers.Add(new OpenReader(reader, _ledger.StateOf(reader.Id)));
    }

    private void Read()
    {
        if (_readers.Count == 0)
            return;
        var reader = _readers[_random.Next(_readers.Count)];
        Verify(reader.Transaction, reader.State, 0.5);
    }

    /// <summary>One, or all: while an old one lives, little can be flushed.</summary>
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
            Verify(reader.Transaction, reader.State, 1);
        _history.Counts.ReadersVerified++;
        _readers.RemoveAt(i);
        reader.Transaction.Dispose();
        Forget();
    }

    private void Forget()
    {
        // Where damage can be accepted, any state may be the one that is left.
        if (_history.Settings.Damages)
            return;
        var oldest = Math.Min(_copy?.From ?? long.MaxValue, _readers.Select(r => r.Transaction.Id).DefaultIfEmpty(long.MaxValue).Min());
        _ledger.Forget(oldest);
    }

    private void Copy()
    {
        if (_copy == null)
        {
            _copy = new CopyUnderWay(_history, _environment, _ledger.Acknowledged);
            return;
        }
        if (_history.Settings.Damages && _random.OneIn(6))
            _copy.EndDamaged(_disk);
        else if (_copy.Step())
            return;
        _history.Counts.Copies++;
        EndCopy();
    }

    /// <summary>Reads go on after a failure, at the last durable state.</summary>
    private void ReadOnPoisoned()
    {
        EndWriter();
        try
        {
            _ = _environment.BeginWrite();
            throw new OracleException("A poisoned environment lets a writer begin.");
        }
        catch (EnvironmentPoisonedException)
        {
            // As it must be.
        }
        using var reader = _environment.BeginRead("after the failure");
        _ledger.Publish(reader.Id);
        try
        {
            Verify(reader, _ledger.StateOf(reader.Id), 0.5);
        }
        catch (DiskException error) when (_history.MayFail(error))
        {
            // The medium refuses this read, too.
        }
    }

    private void Verify(PageTransaction transaction, object[] state, double share)
    {
        for (var i = 0; i < _workloads.Count; i++)
            _workloads[i].Verify(transaction, state[i], share, _random);
    }

    private void EndWriter()
    {
        _writer?.Dispose();
        (_writer, _writerState) = (null, null);
    }

    private void EndCopy()
    {
        _copy?.Dispose();
        _copy = null;
    }

    private void EndTransactions(bool verify)
    {
        EndWriter();
        EndCopy();
        foreach (var reader in _readers)
        {
            if (verify)
                Verify(reader.Transaction, reader.State, 1);
            reader.Transaction.Dispose();
        }
        _readers.Clear();
    }
}

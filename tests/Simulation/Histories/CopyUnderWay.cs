using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Copying;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Histories;

/// <summary>An online copy onto a disk of its own, and its restoration, which may be interrupted by power cuts as well.</summary>
internal sealed class CopyUnderWay : IDisposable
{
    private readonly SimulatedHistory _history;
    private readonly SimulatedDisk _target;
    private readonly OnlineCopy _copy;
    private bool _isDamaged;

    /// <summary>What was copied was damaged where it lies, perhaps after it had been verified.</summary>
    private bool _targetIsDamaged;

    public CopyUnderWay(SimulatedHistory history, StorageEnvironment environment, long from)
    {
        _history = history;
        From = from;
        _target = new SimulatedDisk(history.Random.Fork(), history.Settings.AtomicUnit, history.Clock, history.Disk.Trace);
        _copy = environment.BeginCopy(_target);
    }

    /// <summary>The transaction that was durable when the copy began.</summary>
    public long From { get; }

    /// <summary>A piece; after the last one the copy is opened and compared. False: done.</summary>
    public bool Step()
    {
        try
        {
            if (_copy.Step())
                return true;
        }
        catch (CorruptedDataException) when (_isDamaged || _history.Disk.Misdirected > 0)
        {
            // Told while it is copied. What there is of the copy is none.
            _history.Counts.CopiesRefused++;
            _target.Restart(powerCut: true);
            ExpectRefused();
            return false;
        }
        OracleException.Require(
            _copy.TransactionId >= From && _copy.TransactionId <= _history.Ledger.Acknowledged,
            $"a copy of transaction {_copy.TransactionId}, begun at {From}"
        );
        Restore(_copy.TransactionId);
        return false;
    }

    /// <summary>A bit flips in the journal, in the original or in what is copied of it already; then the copy goes on to its end,
    /// and the bit flips back.</summary>
    public void EndDamaged(SimulatedDisk source)
    {
        var disk = _history.Random.Coin() ? source : _target;
        var damage = MediumDamage.FlipJournal(disk, source, _history.Random);
        _isDamaged = damage != null;
        _targetIsDamaged = _isDamaged && disk == _target;
        while (Step()) { }
        damage?.UndoWhereUnchanged(disk);
    }

    public void Dispose()
    {
        _copy.Dispose();
        _target.Dispose();
    }

    private void Restore(long transaction)
    {
        _target.Restart(powerCut: true);
        // A copy can take damage where it lies, too.
        var damage =
            _history.Settings.Damages && _history.Random.OneIn(3) ? MediumDamage.FlipJournal(_target, _target, _history.Random) : null;
        for (var attempt = 0; ; attempt++)
        {
            if (attempt < 2 && _history.Random.Coin())
                _target.CutPowerIn(_history.Random.Next(1, 60));
            try
            {
                using var environment = StorageEnvironment.Open(_target, _history.NextOptions() with { Name = "copy" });
                OracleException.Require(
                    environment.DurableTransactionId == transaction,
                    $"a copy of transaction {transaction} opens at {environment.DurableTransactionId}"
                );
                _history.VerifyWhole(environment, _history.Ledger.StateOf(transaction));
                return;
            }
            catch (PowerCutException)
            {
                _target.Restart(powerCut: true);
            }
            catch (CorruptedDataException) when (damage != null || _targetIsDamaged)
            {
                _history.Counts.CopiesRefused++;
                return;
            }
            catch (StorageException error)
            {
                throw new OracleException("A copy cannot be opened.", error);
            }
        }
    }

    private void ExpectRefused()
    {
        try
        {
            StorageEnvironment.Open(_target, _history.NextOptions() with { Name = "copy", MayCreate = false }).Dispose();
        }
        catch (CorruptedDataException)
        {
            return;
        }
        throw new OracleException("A copy that was refused while it was made opens.");
    }
}

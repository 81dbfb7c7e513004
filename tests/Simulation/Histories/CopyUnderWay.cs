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
        if (_copy.Step())
            return true;
        OracleException.Require(_copy.TransactionId >= From && _copy.TransactionId <= _history.Ledger.Acknowledged, $"a copy of transaction {_copy.TransactionId}, begun at {From}");
        Restore(_copy.TransactionId);
        return false;
    }

    public void Dispose()
    {
        _copy.Dispose();
        _target.Dispose();
    }

    private void Restore(long transaction)
    {
        _target.Restart(powerCut: true);
        for (var attempt = 0; ; attempt++)
        {
            if (attempt < 2 && _history.Random.Coin())
                _target.CutPowerIn(_history.Random.Next(1, 60));
            try
            {
                using var environment = StorageEnvironment.Open(_target, _history.NextOptions() with { Name = "copy" });
                // The last record may be one that the disk wrote to another place, and that place may lie behind what is copied.
                if (_history.Disk.Misdirected > 0 && environment.DurableTransactionId < transaction)
                    return;
                OracleException.Require(environment.DurableTransactionId == transaction, $"a copy of transaction {transaction} opens at {environment.DurableTransactionId}");
                _history.VerifyWhole(environment, _history.Ledger.StateOf(transaction));
                return;
            }
            catch (PowerCutException)
            {
                _target.Restart(powerCut: true);
            }
            catch (CorruptedDataException) when (_history.Disk.Misdirected > 0)
            {
                // A faithful copy of a journal into which the disk wrote at the wrong place.
                return;
            }
            catch (StorageException error)
            {
                throw new OracleException("A copy cannot be opened.", error);
            }
        }
    }
}

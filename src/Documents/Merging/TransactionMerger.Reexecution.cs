using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Merging;

/// <summary>What happens to the open transaction's operations when one of them was refused after it had left traces, or when
/// together they are too much.</summary>
internal sealed partial class TransactionMerger
{
    /// <summary>Drops the transaction and executes its operations again, in order, without those refused.</summary>
    private void ExecuteOthersAgain()
    {
        bool isDone;
        do
        {
            _reexecutions++;
            BeginAgain();
            isDone = TryExecuteAgain();
        } while (!isDone);
    }

    private void BeginAgain()
    {
        Drop();
        _transaction = _environment.BeginWrite();
        _writer.Begin(_transaction);
    }

    /// <summary>False when one more was refused on the way.</summary>
    private bool TryExecuteAgain()
    {
        long patchTicks = _writer.PatchAllowance.TransactionTicks;
        int position = 0;
        for (var operation = _open.First; operation is not null; operation = operation.Next, position++)
        {
            if (operation.Refusal is not null)
                continue;
            if (PatchAllowance.IsOver(_writer.PatchAllowance.TransactionTicks - patchTicks))
            {
                // Scripts that were quick the first time are not now: each of the rest could take as long, so the transaction ends here.
                KeepFirst(position);
                return true;
            }
            if (_options.Planted == PlantedMergerFault.LostWhenExecutedAgain && operation == _open.First)
                continue;
            try
            {
                _writer.BeginOperation(operation);
                operation.Execute(_writer);
                _writer.EndOperation();
            }
            catch (OperationException refusal)
            {
                operation.Refusal = refusal;
                return false;
            }
            catch (CorruptedDataException damage) when (IsItsOwn(damage))
            {
                operation.Refusal = new DamagedPageException(_options.DatabaseName, damage);
                return false;
            }
            catch (TidyingFailedException)
            {
                return false;
            }
            catch (LimitExceededException tooLarge)
            {
                TakeLess(tooLarge);
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

    /// <summary>
    /// Together they are too much for a transaction after all: the second half waits for the next one, to be judged anew there.
    /// One by itself is refused. Execute the rest again.
    /// </summary>
    private void TakeLess(LimitExceededException tooLarge)
    {
        _mustClose = true;
        if (_open.Count == 1)
        {
            _open.First!.Refusal = new OperationTooLargeException(tooLarge);
            return;
        }
        KeepFirst(_open.Count / 2);
    }

    /// <summary>The rest of the transaction's operations waits for the next one, to be judged anew there: what they were refused
    /// for may be a write that is not in this one.</summary>
    private void KeepFirst(int count)
    {
        _mustClose = true;
        var kept = new OperationList();
        for (; count > 0; count--)
            kept.Add(_open.TakeFirst());
        for (var operation = _open.First; operation is not null; operation = operation.Next)
        {
            if (operation.Refusal is not DamagedPageException)
                operation.Refusal = null;
        }
        _open.AddAll(_waiting);
        _waiting.AddAll(_open);
        _open.AddAll(kept);
    }

    /// <summary>Damage that an operation meets is that operation's alone, unless every transaction needs the page: then the next
    /// one would meet
    /// it, too, perhaps when nobody's operation executes.</summary>
    private bool IsItsOwn(CorruptedDataException damage) => !damage.IsShared || _options.Planted == PlantedMergerFault.SharedDamageSpared;

    /// <summary>
    /// The operation met a damaged page: it is answered with that, and never executed again, whatever becomes of this
    /// transaction. Damage can be
    /// met between two steps of a change, so the transaction is always dropped and the others are executed again.
    /// </summary>
    private void RefuseDamaged(MergedOperation operation, CorruptedDataException damage)
    {
        _executing = null;
        if (_options.Planted == PlantedMergerFault.DamageMergedAgain)
        {
            _waiting.AddFirst(operation);
            ExecuteOthersAgain();
            return;
        }
        operation.Refusal = new DamagedPageException(_options.DatabaseName, damage);
        _open.Add(operation);
        if (_options.Planted == PlantedMergerFault.NeighboursLostToDamage)
            BeginAgain();
        else
            ExecuteOthersAgain();
    }

    /// <summary>There is no room: every operation of the transaction is refused, and the next one begins anew.</summary>
    private void RefuseAll(DiskFullException full)
    {
        // Also those refused already: what they were refused for, a conflict for instance, may be a write that is taken back here.
        for (var operation = _open.First; operation is not null; operation = operation.Next)
        {
            if (operation.Refusal is DamagedPageException)
                continue;
            if (_options.Planted != PlantedMergerFault.RefusalOutlivesFullDisk || operation.Refusal is null)
                operation.Refusal = new OutOfDiskException(_options.DatabaseName, full);
        }
        BeginAgain();
        _mustClose = true;
    }
}

using System.Runtime.ExceptionServices;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Delivering. A sink that reaches ahead has two deliveries at a time: the one it is called for, and the next one, which it
/// begins as soon as the first is all on its way.
/// When the first is settled, it is called for the second at once, and what is still to be done for the first (dead letters,
/// position) is done meanwhile. A step does not
/// end before what was begun has landed, unless something fails.
/// </summary>
internal sealed partial class EtlTask
{
    /// <summary>The one behind <see cref="_batch"/>, when the sink has been told of it.</summary>
    private volatile Batch? _next;

    /// <summary>The one in front of <see cref="_batch"/>: all its messages are settled, and its position is not stored.</summary>
    private Batch? _settled;

    private void Deliver()
    {
        if (_batch is { Retried: { } retried } first && HasChanged(first))
        {
            // It alone: what was read ahead lies behind what is read next.
            retried.Request.GoBack(retried.AfterEtag);
            _batch = null;
            return;
        }
        while (_batch is { } batch)
        {
            if (!batch.Delivery.AreAllSettled)
            {
                GoOn(batch);
                continue;
            }
            FinishSettled();
            if (_next is { } next)
            {
                (_settled, _batch, _next) = (batch, next, null);
            }
            else
            {
                Finish(batch);
                _batch = null;
            }
        }
        FinishSettled();
    }

    private void GoOn(Batch batch)
    {
        if (_isClosing)
        {
            batch.Delivery.Stop();
            // Once more for one that the sink may have begun: what is on its way is still answered.
            if (!batch.IsHanded)
            {
                FinishSettled();
                KeepSettled();
                throw new OperationCanceledException("The task is being closed.");
            }
        }
        if (_settled is null)
        {
            BuryFailures(batch);
            BuryRejections(batch);
        }
        batch.IsHanded = false;
        int settled = batch.Delivery.SettledCount;
        Send(batch);
        Reached(Failpoint.Sent);
        Invariant.Require(batch.Delivery.SettledCount > settled || batch.Delivery.IsStopping);
    }

    private void Send(Batch batch)
    {
        var delivery = batch.Delivery;
        NoteSent(batch);
        _usedAt = _options.Clock.GetTimestamp();
        Reached(Failpoint.Sending);
        if (batch.Retried is { } retried)
            delivery.Position = delivery.Position with { RetriedDeadLetters = retried.Sent(delivery.IsBuried) };
        HandOn(batch);
        ExceptionDispatchInfo? unfinished = null;
        try
        {
            DeliverAndReadAhead(batch, out unfinished);
            if (delivery.IsPositionKept)
                batch.Transform.StoredPosition = batch.ToEtag;
            _pauses.Succeeded();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            _isOpen = false;
            Interlocked.Increment(ref _retries);
            // First: what is to be written now may fail too, and must not leave the order of a key behind.
            if (e is not SinkException { IsAllOnItsWay: true })
                Delivery.Reopen(_next is { } next ? [delivery, next.Delivery] : [delivery]);
            unfinished?.Throw();
            FinishSettled();
            KeepSettled();
            throw;
        }
        unfinished?.Throw();
    }

    /// <summary>Waits for what the sink does with a batch. Finishes the one before it meanwhile, and makes the next ones if there
    /// is more.</summary>
    /// <param name="batch">The one in front.</param>
    /// <param name="unfinished">Why the one before it is not finished; the delivery has ended nevertheless.</param>
    private void DeliverAndReadAhead(Batch batch, out ExceptionDispatchInfo? unfinished)
    {
        unfinished = null;
        var sending = _sink.DeliverAsync(batch.Delivery, _giveUp.Token);
        if (!sending.IsCompleted)
        {
            try
            {
                FinishSettled();
            }
            catch (Exception e)
            {
                // Whatever it is, it is told in its turn: what is on its way comes first.
                unfinished = ExceptionDispatchInfo.Capture(e);
            }
            while (unfinished is null && ReadAhead(batch, sending))
                HandOn(batch);
            Reached(Failpoint.OnItsWay);
        }
        Wait(sending);
    }

    /// <summary>The batch that is ready follows the one in front, if the sink wants that and nothing else is to be done between
    /// them.</summary>
    private void HandOn(Batch batch)
    {
        if (_sink.ReachesAhead && _next is null && _ahead is { } ahead && batch.Retried is null && !IsWanted)
        {
            ahead.IsHanded = true;
            _next = ahead;
            _ahead = null;
        }
        batch.Delivery.Next = _next?.Delivery;
    }

    /// <summary>There is something that is not done while anything is on its way.</summary>
    private bool IsWanted => _isClosing || !_commands.IsEmpty || !_requests.IsEmpty || WhyAtRest() is not null;

    /// <summary>Of batches that are not done, the first two at most: what was rejected becomes durable, and then the position
    /// moves over what is settled without a gap.</summary>
    private void KeepSettled()
    {
        if (_batch is not { } batch)
            return;
        Invariant.Require(_settled is null);
        KeepSettled(batch);
        if (_next is { } next && batch.Delivery.IsComplete)
            KeepSettled(next);
    }

    private void KeepSettled(Batch batch)
    {
        BuryFailures(batch);
        BuryRejections(batch);
        if (batch.Retried is { } retried)
        {
            RemoveRetried(batch, retried);
            return;
        }
        // Nothing of a delivery that is all or nothing has arrived; whether all of it has, its sink tells when it is opened again.
        if (_keeper is not null || batch.SettledEtag <= batch.Transform.Position)
            return;
        _pauses.Succeeded();
        DeleteProcessed(batch);
        batch.Transform.Position = batch.SettledEtag;
        if (!batch.Delivery.IsComplete)
            batch.Transform.Waits.Note(
                batch.SettledEtag,
                batch.Delivery.Messages[batch.Delivery.SettledPrefix].Origin.LastModifiedTicks,
                batch.SettledEtag
            );
        StorePosition(batch.Transform);
    }

    private void FinishSettled()
    {
        if (_settled is not { } settled)
            return;
        Finish(settled);
        _settled = null;
    }

    private void Finish(Batch batch)
    {
        BuryFailures(batch);
        BuryRejections(batch);
        if (batch.Retried is { } retried)
        {
            CompleteRetry(batch, retried);
        }
        else
        {
            Invariant.Require(batch.SettledEtag == batch.ToEtag);
            DeleteProcessed(batch);
            // After a fault it may be in the middle of the batch behind this one already.
            batch.Transform.Position = Math.Max(batch.Transform.Position, batch.ToEtag);
            StorePosition(batch.Transform);
            // What was read meanwhile and sent nothing.
            if (!IsInMemory(batch.Transform, except: batch))
                batch.Transform.Position = batch.Transform.ReadTo;
            RecordOutcomes(batch);
            CountMessages(batch);
        }
        Interlocked.Increment(ref _batches);
        if (_state == EtlTaskState.Waiting)
            Enter(EtlTaskState.Running, null);
        if (_scripts.IsExceeded || _deliveries.IsExceeded)
        {
            Enter(
                EtlTaskState.Stopped,
                $"More than {_configuration.MaxFailedShare:P0} of the last "
                    + $"{_configuration.FailureWindow} documents became dead letters; the "
                    + $"last reason is in the collection '{DeadLetter.Collection}'."
            );
        }
    }

    private bool IsInMemory(TransformRun transform, Batch? except = null)
    {
        foreach (var batch in new[] { _settled, _batch, _next, _ahead })
        {
            if (batch is not null && batch != except && batch.Transform == transform)
                return true;
        }
        return false;
    }

    /// <summary>What the script failed for becomes durable as dead letters.</summary>
    private void BuryFailures(Batch batch)
    {
        if (batch.FailuresAreBuried)
            return;
        Bury(batch.Transform, batch.Failures);
        batch.FailuresAreBuried = true;
        if (batch.EndsWithKiller)
            BeginCalm();
        if (batch.Failures.Count > 0)
            Reached(Failpoint.ScriptDeadLetters);
    }

    /// <summary>What the sink rejected becomes durable as dead letters.</summary>
    private void BuryRejections(Batch batch)
    {
        var rejections = batch.Delivery.Rejections();
        if (rejections.Count == 0)
            return;
        Bury(
            batch.Transform,
            rejections
                .Select(rejection => new DeadLetter
                {
                    Origin = batch.Delivery.Messages[rejection.Index].Origin,
                    Number = batch.Delivery.Messages[rejection.Index].Number,
                    Message = batch.Delivery.Messages[rejection.Index],
                    Reason = rejection.Reason,
                    Attempts = batch.Delivery.Attempts(rejection.Index) + (batch.Retried?.FormerAttempts(rejection.Index) ?? 0),
                })
                .ToArray()
        );
        foreach (var (index, _) in rejections)
            batch.Delivery.Bury(index);
        Reached(Failpoint.DeadLetters);
    }

    private void Bury(TransformRun transform, IReadOnlyList<DeadLetter> letters)
    {
        _deadLetters.Write(transform.Configuration.Name, letters);
        Interlocked.Add(ref _deadLetterCount, letters.Count);
    }

    private void RecordOutcomes(Batch batch)
    {
        var delivery = batch.Delivery;
        long lastEtag = 0;
        bool failed = false;
        for (int i = 0; i < delivery.Messages.Count; i++)
        {
            var message = delivery.Messages[i];
            if (i > 0 && message.Origin.Etag != lastEtag)
            {
                _deliveries.Record(failed);
                failed = false;
            }
            lastEtag = message.Origin.Etag;
            failed |= delivery.IsBuried(i);
        }
        if (delivery.Messages.Count > 0)
            _deliveries.Record(failed);
    }

    private void CountMessages(Batch batch)
    {
        long messages = 0;
        long bytes = 0;
        for (int i = 0; i < batch.Delivery.Messages.Count; i++)
        {
            if (batch.Delivery.IsBuried(i))
                continue;
            messages++;
            bytes += batch.Delivery.Messages[i].Data.Length;
        }
        Interlocked.Add(ref _messages, messages);
        Interlocked.Add(ref _bytes, bytes);
    }
}

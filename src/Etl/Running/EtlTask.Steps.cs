using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>Placing, reading, delivering, storing positions.</summary>
internal sealed partial class EtlTask
{
    private long _messages;
    private long _bytes;
    private long _batches;
    private long _retries;
    private long _deadLetterCount;

    /// <summary>Each transform goes on where it was, or starts where it should.</summary>
    private void PlaceTransforms()
    {
        for (int i = 0; i < _transforms.Length; i++)
        {
            if (_isPlaced[i])
                continue;
            var transform = _transforms[i];
            bool isNew;
            using (var reader = _database.OpenRead("ETL start"))
            {
                var stored = _positions.Read(reader, transform.Configuration.Name);
                transform.PlaceAt(StartingPoint.Resolve(stored, transform.Configuration, reader, _database.Id, _database.Ancestors));
                isNew = stored is null || stored.Value.DatabaseId != _database.Id;
                transform.StoredPosition = transform.Position;
            }
            // "Now" is the moment of the first start, not of the next one.
            if (isNew)
                StorePosition(transform);
            else
                PassTombstones(transform);
            RemoveUnpassed(transform);
            _isPlaced[i] = true;
        }
    }

    private void Deliver(Batch batch)
    {
        if (HasChanged(batch))
        {
            Forget(batch.Transform);
            return;
        }
        if (!batch.FailuresAreBuried)
        {
            Bury(batch.Transform, batch.Failures);
            batch.FailuresAreBuried = true;
            if (batch.Failures.Count > 0)
                Reached(Failpoint.ScriptDeadLetters);
        }
        var delivery = batch.Delivery;
        BuryRejections(batch);
        while (!delivery.IsComplete)
        {
            if (_isClosing)
            {
                KeepSettled(batch);
                throw new OperationCanceledException("The task is being closed.");
            }
            int settled = delivery.SettledCount;
            Send(batch);
            Reached(Failpoint.Sent);
            Invariant.Require(delivery.SettledCount > settled || delivery.IsStopping);
            BuryRejections(batch);
        }
        Complete(batch);
    }

    private void Send(Batch batch)
    {
        var delivery = batch.Delivery;
        Reached(Failpoint.Sending);
        if (batch.Retried is { } retried)
            delivery.Position = delivery.Position with { RetriedDeadLetters = retried.Sent(delivery.IsBuried) };
        try
        {
            DeliverAndReadAhead(batch);
            if (delivery.IsPositionKept)
                batch.Transform.StoredPosition = batch.ToEtag;
            _pauses.Succeeded();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            _isOpen = false;
            Interlocked.Increment(ref _retries);
            // First: what is to be written now may fail too, and must not leave the order of a key behind.
            delivery.Reopen();
            KeepSettled(batch);
            throw;
        }
    }

    /// <summary>Of a batch that is not done: what was rejected becomes durable, and then the position moves over what is settled.</summary>
    private void KeepSettled(Batch batch)
    {
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
        StorePosition(batch.Transform);
    }

    private void Complete(Batch batch)
    {
        if (batch.Retried is { } retried)
        {
            CompleteRetry(batch, retried);
        }
        else
        {
            Invariant.Require(batch.SettledEtag == batch.ToEtag);
            DeleteProcessed(batch);
            batch.Transform.Position = batch.ToEtag;
            StorePosition(batch.Transform);
            // What was read meanwhile and sent nothing.
            if (_ahead?.Transform != batch.Transform)
                batch.Transform.Position = batch.Transform.ReadTo;
            RecordOutcomes(batch);
            CountMessages(batch);
        }
        Interlocked.Increment(ref _batches);
        _batch = null;
        if (_state == EtlTaskState.Waiting)
            Enter(EtlTaskState.Running, null);
        if (_scripts.IsExceeded || _deliveries.IsExceeded)
        {
            Enter(EtlTaskState.Stopped,
                $"More than {_configuration.MaxFailedShare:P0} of the last {_configuration.FailureWindow} documents became dead letters; the last reason is in the collection '{DeadLetter.Collection}'.");
        }
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

    /// <summary>What the sink rejected becomes durable as dead letters.</summary>
    private void BuryRejections(Batch batch)
    {
        var rejections = batch.Delivery.Rejections();
        if (rejections.Count == 0)
            return;
        Bury(batch.Transform, rejections.Select(rejection => new DeadLetter
        {
            Origin = batch.Delivery.Messages[rejection.Index].Origin,
            Number = batch.Delivery.Messages[rejection.Index].Number,
            Message = batch.Delivery.Messages[rejection.Index],
            Reason = rejection.Reason,
            Attempts = batch.Delivery.Attempts(rejection.Index) + (batch.Retried?.FormerAttempts(rejection.Index) ?? 0),
        }).ToArray());
        foreach (var (index, _) in rejections)
            batch.Delivery.Bury(index);
        Reached(Failpoint.DeadLetters);
    }

    private void Bury(TransformRun transform, IReadOnlyList<DeadLetter> letters)
    {
        _deadLetters.Write(transform.Configuration.Name, letters);
        Interlocked.Add(ref _deadLetterCount, letters.Count);
    }

    private void StorePosition(TransformRun transform)
    {
        Reached(Failpoint.Position);
        // The truth first: a copy without it would be taken for its loss.
        if (_keeper is { } keeper && transform.Position != transform.StoredPosition)
            Wait(keeper.StorePositionAsync(KeptPosition(transform), _giveUp.Token));
        // Where the sink has the truth, the copy only needs to be there.
        if (_keeper is null || transform.StoredPosition == NotKept || IsDue(transform))
        {
            _positions.Write(transform.Configuration.Name, transform.Position);
            transform.StoredAt = _options.Clock.GetTimestamp();
        }
        transform.StoredPosition = transform.Position;
        PassTombstones(transform);
        Reached(Failpoint.PositionStored);
    }

    private void PassTombstones(TransformRun transform) => _held.Pass(transform.Configuration, transform.StoredPosition);

    private bool IsDue(TransformRun transform) => _options.Clock.GetElapsedTime(transform.StoredAt) >= _options.Limits.IdlePositionInterval;

    /// <summary>Everything is settled: stores the positions that are due, and tells when the next one is.</summary>
    private TimeSpan Rest()
    {
        var rest = Timeout.InfiniteTimeSpan;
        foreach (var transform in _transforms)
        {
            if (transform.Position == transform.StoredPosition)
                continue;
            if (IsDue(transform))
            {
                StorePosition(transform);
                continue;
            }
            var left = _options.Limits.IdlePositionInterval - _options.Clock.GetElapsedTime(transform.StoredAt);
            if (rest == Timeout.InfiniteTimeSpan || left < rest)
                rest = left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
        _ownDeletions.Clean();
        Enter(EtlTaskState.Idle, null);
        return rest;
    }

    private void Reached(string failpoint) => _options.FailpointReached?.Invoke(failpoint);
}

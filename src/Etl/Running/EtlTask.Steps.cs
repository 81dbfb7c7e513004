using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Running;

/// <summary>Placing, storing positions, resting.</summary>
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
            transform.CopiedPosition = transform.Position;
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
            if (transform.Position != transform.StoredPosition)
                rest = Sooner(rest, StorePassed(transform));
            rest = Sooner(rest, CopyPosition(transform));
        }
        _ownDeletions.Clean();
        Enter(EtlTaskState.Idle, null);
        rest = Sooner(rest, LetSinkRest());
        return Sooner(rest, UntilCalm());
    }

    /// <summary>A position that moved although nothing was sent: stores it, or tells when that is due.</summary>
    private TimeSpan StorePassed(TransformRun transform)
    {
        // It is not worth waking a sink for, but must not be kept back for ever: tombstones wait for it.
        bool isKept = _keeper is not null;
        var interval = isKept && _isAsleep ? _options.Limits.RestingPositionInterval : _options.Limits.IdlePositionInterval;
        var left = interval - _options.Clock.GetElapsedTime(transform.StoredAt);
        if (left > TimeSpan.Zero)
            return left;
        if (isKept && !_isOpen)
            Open();
        if (transform.Position != transform.StoredPosition)
            StorePosition(transform);
        return Timeout.InfiniteTimeSpan;
    }

    private static TimeSpan Sooner(TimeSpan one, TimeSpan other) =>
        one == Timeout.InfiniteTimeSpan || (other != Timeout.InfiniteTimeSpan && other < one) ? other : one;

    private void Reached(string failpoint) => _options.FailpointReached?.Invoke(failpoint);
}

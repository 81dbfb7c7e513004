using Jackdaw.Etl.Reading;

namespace Jackdaw.Etl.Running;

/// <summary>What the task tells of itself, to anybody.</summary>
internal sealed partial class EtlTask
{
    public EtlTaskSummary Summary()
    {
        lock (_stateLock)
            return new EtlTaskSummary(_configuration.Id, _configuration.Name, _state, _reason, _since)
            {
                NextTry = _nextTry,
                NeedsPosition = _needsPosition,
            };
    }

    public EtlTaskStatus Status()
    {
        var summary = Summary();
        return new EtlTaskStatus(
            summary.Id,
            summary.Name,
            summary.State,
            summary.Reason,
            _transforms.Select(StatusOf).ToArray(),
            Interlocked.Read(ref _messages),
            Interlocked.Read(ref _bytes),
            Interlocked.Read(ref _batches),
            Interlocked.Read(ref _retries),
            Interlocked.Read(ref _deadLetterCount)
        )
        {
            NextTry = summary.NextTry,
        };
    }

    /// <summary>While the sink cannot be opened nothing is read; what waits, and since when, is to be known all the same.</summary>
    private void ObserveWaiting()
    {
        foreach (var transform in _transforms)
        {
            using var reader = _database.OpenRead("ETL status");
            var changes = new ChangeReader(reader, transform.Configuration, transform.Position);
            if (changes.MoveNext(passAtMost: 10_000) && changes.IsCurrentWanted)
                transform.Waits.Note(transform.Position, changes.Current.LastModifiedTicks(), transform.Position);
        }
    }

    private TransformStatus StatusOf(TransformRun transform)
    {
        long position = transform.Position;
        using var reader = _database.OpenRead("ETL status");
        var waiting = WaitingChanges.Count(reader, transform.Configuration, position);
        var changes = new ChangeReader(reader, transform.Configuration, position);
        // A task that was stopped long ago may have a million deletions before the next change that it wants: whoever asks often
        // must not wait for that.
        if (waiting.Count == 0 || !changes.MoveNext(passAtMost: 10_000))
            return new TransformStatus(transform.Configuration.Name, position, 0, 0, false, 0);
        long since = transform.Waits.Note(position, changes.Current.LastModifiedTicks(), position);
        double seconds = Math.Max(0, (_options.Clock.GetUtcNow().UtcTicks - since) / (double)TimeSpan.TicksPerSecond);
        return new TransformStatus(
            transform.Configuration.Name,
            position,
            Math.Max(0, WaitingChanges.LastEtag(reader, transform.Configuration) - (changes.Current.Etag - 1)),
            waiting.Count,
            !waiting.IsExact,
            seconds
        );
    }
}

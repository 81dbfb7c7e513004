using Jackdaw.Etl.Reading;

namespace Jackdaw.Etl.Running;

/// <summary>What the task tells of itself, to anybody.</summary>
internal sealed partial class EtlTask
{
    public EtlTaskSummary Summary()
    {
        lock (_stateLock)
            return new EtlTaskSummary(_configuration.Id, _configuration.Name, _state, _reason, _since);
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
        );
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
        var oldest = changes.Current;
        long ticks = oldest.IsTombstone ? oldest.Tombstone.LastModifiedTicks : oldest.Document.LastModifiedTicks;
        double seconds = Math.Max(0, (_options.Clock.GetUtcNow().UtcTicks - ticks) / (double)TimeSpan.TicksPerSecond);
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

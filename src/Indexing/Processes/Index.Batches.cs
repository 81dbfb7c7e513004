namespace Jackdaw.Indexing.Processes;

/// <summary>One batch, and who is told of it.</summary>
public sealed partial class Index
{
    /// <summary>A batch waits while there is less room for its pages than one part in so many of the scratch.</summary>
    private const int LeastRoom = 8;

    private long _seenUpTo;

    private TurnRest RunBatch(IndexFolder folder)
    {
        var storage = folder.Storage;
        if (storage.ScratchRoomBytes < storage.Options.MaxScratchBytes / LeastRoom && storage.Generation == folder.Generation)
        {
            folder.Environment.RelieveScratch();
            return new TurnRest(s_shortPause);
        }
        FollowedBatch batch;
        using (var share = _processes.Memory.Begin())
            batch = _following.Run(folder, _record.Consumer, share);
        if (batch.RebuildReason is { } reason)
        {
            _owner.BeginRebuild(this, reason);
            return TurnRest.Rest;
        }
        if (batch.Committed is { } committed)
            Tell(committed);
        if (!batch.IsAtEnd)
            return TurnRest.Again;
        ReachEnd(batch.SeenUpTo);
        return TurnRest.Rest;
    }

    private void Tell(IndexBatchRecord committed)
    {
        if (_processes.Options.Planted == PlantedIndexFault.HoldVisiblePosition)
            _consumer.Etag = committed.Position;
        Raise(ref _seenUpTo, committed.Position);
        bool hasFailed = _counters.Add(committed);
        _waiters.Complete(SeenUpTo);
        _owner.Tell(this, IndexChangeKind.BatchCompleted);
        if (hasFailed)
            _owner.BeginError(this, _counters.DescribeFailures());
    }

    /// <summary>Everything that was durable when it looked is in the index.</summary>
    private void ReachEnd(long seenUpTo)
    {
        Raise(ref _seenUpTo, seenUpTo);
        _waiters.Complete(seenUpTo);
        if (IsReplacement)
            _owner.BeginSwap(this);
    }

    private long SeenUpTo => Interlocked.Read(ref _seenUpTo);

    private static void Raise(ref long value, long to)
    {
        if (Interlocked.Read(ref value) < to)
            Interlocked.Exchange(ref value, to);
    }
}

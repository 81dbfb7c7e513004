using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Registry;

namespace Jackdaw.Indexing.Processes;

/// <summary>Reading an index, and waiting for it.</summary>
public sealed partial class Index
{
    /// <summary>Entries that are counted at each side of a position to tell how far behind it is.</summary>
    private const int LagCount = 1000;

    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(1);

    /// <summary>
    /// Waits until the index has seen everything of its collections up to an etag, which is durable. Returns false when time is up. Errors:
    /// <see cref="IndexUnavailableException"/> when it is disabled, in error or gone,
    /// <see cref="Documents.Database.Unavailable"/> when its database closes, and <see cref="OperationCanceledException"/>.
    /// </summary>
    public async Task<bool> WaitForAsync(long etag, TimeSpan timeout, CancellationToken cancellation)
    {
        long started = _processes.Options.Clock.GetTimestamp();
        NoteUsed();
        var index = this;
        while (true)
        {
            if (index.SeenUpTo >= etag)
                return true;
            if (index._record.State is IndexState.Disabled or IndexState.Error)
                throw index.Unavailable();
            var left = (timeout < s_longestWait ? timeout : s_longestWait) - _processes.Options.Clock.GetElapsedTime(started);
            if (left <= TimeSpan.Zero)
                return false;
            var waiter = index._waiters.Add(etag);
            // It may have come there before the waiter stood in the list; and an index that is idle or new is to look.
            if (index.SeenUpTo >= etag)
                waiter.Complete();
            index._turn.Wake();
            try
            {
                await waiter.Task.WaitAsync(left, _processes.Options.Clock, cancellation).ConfigureAwait(false);
                return true;
            }
            catch (TimeoutException)
            {
                return false;
            }
            catch (IndexUnavailableException) when (index._successor is { } successor)
            {
                // It was replaced meanwhile by one that answers for it.
                index = successor;
            }
            finally
            {
                index._waiters.Remove(waiter);
            }
        }
    }

    /// <summary>Tells what it has done and how far it is. Waits for its folder as <see cref="OpenReadAsync"/> does. Errors: those of
    /// <see cref="Documents.Database.OpenRead"/>.</summary>
    public async ValueTask<IndexStatistics> StatisticsAsync(CancellationToken cancellation)
    {
        using var reading = await TryOpenReadingAsync("index statistics", cancellation).ConfigureAwait(false);
        using var documents = _database.OpenRead("index statistics");
        var progress = reading?.Progress ?? IndexProgress.None;
        return new IndexStatistics
        {
            Name = Name,
            Type = Type,
            State = State,
            Status = Status,
            Priority = Priority,
            LockMode = LockMode,
            CreatedAtTicks = CreatedAtTicks,
            LastIndexedAtTicks = progress.AtTicks,
            LastQueriedAtTicks = Interlocked.Read(ref _lastQueriedTicks),
            IsStale = reading?.IsStale(documents) ?? true,
            Entries = reading?.EntryCount ?? 0,
            Position = progress.Position,
            DurablePosition = _folder?.DurablePosition ?? 0,
            MapAttempts = _counters.Attempts,
            MapErrors = _counters.Failures,
            Deletions = _counters.Deletions,
            Batches = _counters.Committed,
            MappedPerSecond = _counters.MappedPerSecond,
            ErrorsCount = _errors.Count,
            MemoryBytes = MemoryBytes(),
            Collections = Lags(progress, documents),
        };
    }

    /// <summary>Tells whether its collections have changes that it has not seen. Waits for its folder as <see cref="OpenReadAsync"/> does.
    /// Errors: those of <see cref="Documents.Database.OpenRead"/>.</summary>
    public async ValueTask<bool> IsStaleAsync(CancellationToken cancellation)
    {
        using var reading = await TryOpenReadingAsync("index staleness", cancellation).ConfigureAwait(false);
        using var documents = _database.OpenRead("index staleness");
        return reading?.IsStale(documents) ?? true;
    }

    private long MemoryBytes()
    {
        long bytes = _counters.BatchBytes;
        if (_folder is not { } folder || !folder.Environment.TryUse())
            return bytes;
        try
        {
            return bytes + folder.Environment.Storage.GetStatistics().ScratchUsedBytes;
        }
        finally
        {
            folder.Environment.EndUse();
        }
    }

    private CollectionLag[] Lags(IndexProgress progress, DocumentsReader documents)
    {
        var seen = _following.CollectionsOf(progress);
        if (_collections.Length == 0)
        {
            var names = documents.Collections().Select(collection => collection.Name).ToArray();
            return
            [
                new CollectionLag(
                    "@all_docs",
                    seen[0].Item1,
                    seen[0].Item2,
                    names.Aggregate(
                        new CountedChanges(0, true),
                        (sum, name) => sum.With(documents.CountDocuments(name, progress.Position, LagCount))
                    ),
                    names.Aggregate(
                        new CountedChanges(0, true),
                        (sum, name) => sum.With(documents.CountTombstones(name, progress.Position, LagCount))
                    )
                ),
            ];
        }
        return
        [
            .. _collections.Select(
                (name, i) =>
                    new CollectionLag(
                        name,
                        seen[i].Item1,
                        seen[i].Item2,
                        documents.CountDocuments(name, progress.Position, LagCount),
                        documents.CountTombstones(name, progress.Position, LagCount)
                    )
            ),
        ];
    }

    /// <summary>The folder is another one from now on, or closed: another instance of the index is built. Held.</summary>
    internal IndexFolder? LeaveFolder(IndexRecord record)
    {
        IndexFolder? former;
        lock (_lock)
        {
            former = _folder;
            _folder = null;
            if (record.InstanceId != _record.InstanceId)
            {
                _consumer.Dispose();
                _consumer = _database.Consumers.Register(record.Consumer, record.LowerBound, WantsDeletions);
                _counters.ForgetFailures();
                Interlocked.Exchange(ref _seenUpTo, 0);
            }
            _record = record;
            _cannotOpen = false;
        }
        TellDoor();
        return former;
    }

    /// <summary>It is gone for good, or its database is being closed. Held; returns the folder that is to be closed.</summary>
    /// <param name="successor">Answers for it from now on; null: nobody.</param>
    internal IndexFolder? Retire(Index? successor)
    {
        _successor = successor;
        _isRetired = true;
        lock (_lock)
        {
            _watch?.Dispose();
            _watch = null;
        }
        _waiters.Fail(Unavailable, isFinal: true);
        _turn.End();
        var former = _folder;
        _folder = null;
        TellDoor();
        return former;
    }

    /// <summary>Nothing waits for it any more.</summary>
    internal void ForgetConsumer() => _consumer.Dispose();

    internal void DisposeMap() => _map.Dispose();

    internal void RecordError(string action, string message) => _errors.Add(null, action, message);
}

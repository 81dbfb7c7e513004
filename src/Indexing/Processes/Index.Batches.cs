using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>One batch: changes are read and mapped, then applied in one transaction.</summary>
public sealed partial class Index
{
    private long _mostBatchBytes = long.MaxValue;
    private long _lastBatchBytes;
    private long _seenUpTo;

    /// <summary>What is known of a batch while it is collected.</summary>
    private struct Collected
    {
        public long Position;
        public int Documents;
        public int Failures;
        public int Deletions;

        /// <summary>The end of changes was met; <see cref="SeenUpTo"/> says in which moment of the documents.</summary>
        public bool IsAtEnd;
        public long SeenUpTo;

        /// <summary>The highest etag of the collections' changes in that moment, forgotten deletions included.</summary>
        public long LastChange;
        public (long Document, long Deletion)[] Collections;

        public readonly int Changes => Documents + Deletions;
    }

    private TurnRest RunBatch(IndexFolder folder)
    {
        var storage = folder.Environment.Storage;
        if (storage.Generation != folder.Generation)
            throw RolledBack(storage);
        if (storage.ScratchPressure >= 1)
        {
            folder.Environment.RelieveScratch();
            return new TurnRest(s_shortPause);
        }
        using var share = _processes.Memory.Begin();
        using var batch = folder.Content.BeginBatch();
        long started = _processes.Options.Clock.GetTimestamp();
        var (collected, rebuildReason) = Collect(folder.Progress, batch, share, started);
        if (rebuildReason is not null)
        {
            _owner.BeginRebuild(this, rebuildReason);
            return TurnRest.Rest;
        }
        if (collected.Position > folder.Progress.Position)
            Apply(folder, batch, collected, started);
        _counters.BatchBytes = 0;
        if (!collected.IsAtEnd)
            return TurnRest.Again;
        ReachEnd(collected.SeenUpTo);
        return TurnRest.Rest;
    }

    /// <summary>Reads changes behind the position, with as many readers as the time of a batch needs.</summary>
    private (Collected Collected, string? RebuildReason) Collect(
        IndexProgress progress,
        IIndexBatch batch,
        IndexMemory.Share share,
        long started
    )
    {
        var collected = new Collected { Position = progress.Position, Collections = CollectionsOf(progress) };
        bool isFirst = true;
        bool goesOn = true;
        while (goesOn)
        {
            _readsDocuments = true;
            using (var documents = _database.OpenRead("index batch"))
            {
                if (isFirst && WhyGapMatters(documents, progress.Position) is { } reason)
                    return (collected, reason);
                if (isFirst)
                    _map.Begin(batch);
                isFirst = false;
                goesOn = Collect(documents, batch, share, started, ref collected);
            }
            _readsDocuments = false;
        }
        if (collected.IsAtEnd)
            // Deletions that were forgotten before anybody wanted them have the last etags.
            collected.Position = Math.Max(collected.Position, collected.LastChange);
        else if (_processes.Options.Planted == PlantedIndexFault.ClaimEnd)
            collected.Position = Math.Max(collected.Position, _database.LastDurableEtag);
        return (collected, null);
    }

    /// <summary>With one reader. Returns whether the batch goes on with another one.</summary>
    private bool Collect(DocumentsReader documents, IIndexBatch batch, IndexMemory.Share share, long started, ref Collected collected)
    {
        var clock = _processes.Options.Clock;
        var changes =
            _collections.Length == 0 ? documents.Changes(collected.Position) : documents.Changes(_collections, collected.Position);
        while (changes.MoveNext())
        {
            var change = changes.Current;
            if (change.IsTombstone)
                Take(change.Tombstone, batch, ref collected);
            else
                Take(change.Document, batch, ref collected);
            collected.Position = changes.CurrentEtag;
            long bytes = _counters.BatchBytes = _lastBatchBytes = batch.Bytes;
            if (!share.TryGrow(bytes) || bytes >= _mostBatchBytes)
                return false;
            if (!documents.IsDue)
                continue;
            return clock.GetElapsedTime(started) < IndexingLimits.BatchTime && !_isRetired;
        }
        collected.IsAtEnd = true;
        collected.SeenUpTo = documents.LastEtag;
        collected.LastChange = LastChange(documents);
        return false;
    }

    private void Take(in Tombstone tombstone, IIndexBatch batch, ref Collected collected)
    {
        if (_processes.Options.Planted != PlantedIndexFault.SkipDeletions)
            batch.DeleteSource(tombstone.LowerId);
        collected.Deletions++;
        ref var place = ref collected.Collections[PlaceOf(tombstone.Collection)];
        place.Deletion = Math.Max(place.Deletion, tombstone.Etag);
    }

    private void Take(in Document document, IIndexBatch batch, ref Collected collected)
    {
        collected.Documents++;
        ref var place = ref collected.Collections[PlaceOf(document.Collection)];
        place.Document = Math.Max(place.Document, document.Etag);
        batch.BeginSource(document.LowerId);
        try
        {
            _map.Map(document, batch);
        }
        catch (MappingException failure)
        {
            // What it had before goes too: it is not what the document says now.
            batch.AbandonSource();
            batch.DeleteSource(document.LowerId);
            collected.Failures++;
            _errors.Add(Encoding.UTF8.GetString(document.Id), "Map", failure.Message);
        }
    }

    private void Apply(IndexFolder folder, IIndexBatch batch, in Collected collected, long started)
    {
        var clock = _processes.Options.Clock;
        long bytes = batch.Bytes;
        long mapped = clock.GetTimestamp();
        long now = clock.GetUtcNow().UtcTicks;
        var progress = new IndexProgress
        {
            Position = collected.Position,
            AtTicks = now,
            DatabaseId = _database.Id,
            Collections = collected.Collections,
        };
        progress.Write(batch);
        using (var writer = folder.Environment.Storage.BeginWrite())
        {
            if (writer.Generation != folder.Generation)
                throw RolledBack(folder.Environment.Storage);
            batch.Apply(writer);
            folder.Committed(writer.Commit(), progress);
        }
        if (_processes.Options.Planted == PlantedIndexFault.HoldVisiblePosition)
            _consumer.Etag = collected.Position;
        var record = new IndexBatchRecord(
            Number: 0,
            now,
            clock.GetElapsedTime(started, mapped),
            clock.GetElapsedTime(mapped),
            collected.Documents,
            collected.Failures,
            collected.Deletions,
            bytes,
            collected.Position
        );
        Raise(ref _seenUpTo, collected.Position);
        bool hasFailed = _counters.Add(record);
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

    private static RolledBackException RolledBack(StorageEnvironment storage) =>
        new(storage.Name, storage.LastRollBack!.To, storage.LastRollBack.Cause);

    private long SeenUpTo => Interlocked.Read(ref _seenUpTo);

    private (long, long)[] CollectionsOf(IndexProgress progress)
    {
        var collections = new (long, long)[Math.Max(1, _collections.Length)];
        for (int i = 0; i < Math.Min(collections.Length, progress.Collections.Count); i++)
            collections[i] = progress.Collections[i];
        return collections;
    }

    private int PlaceOf(ReadOnlySpan<byte> collection)
    {
        if (_collections.Length <= 1)
            return 0;
        string name = Encoding.UTF8.GetString(collection);
        return Math.Max(0, Array.FindIndex(_collections, own => string.Equals(own, name, StringComparison.OrdinalIgnoreCase)));
    }

    private static void Raise(ref long value, long to)
    {
        if (Interlocked.Read(ref value) < to)
            Interlocked.Exchange(ref value, to);
    }
}

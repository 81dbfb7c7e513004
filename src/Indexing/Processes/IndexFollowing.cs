using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// Brings an index forward: reads the changes of its collections behind its position, maps them, and applies them in one lazily durable
/// transaction, the new position among them. Of one thread at a time. See docs/indexing.md, "A batch".
/// </summary>
/// <param name="documents">What it follows.</param>
/// <param name="collections">The collections that it reads; empty: all.</param>
/// <param name="map">Makes entries of documents.</param>
/// <param name="errors">Where documents that fail are recorded.</param>
/// <param name="counters">Told what a batch takes while it is made.</param>
/// <param name="options">The clock, and a mistake for a test to find.</param>
internal sealed class IndexFollowing(
    FollowedDocuments documents,
    string[] collections,
    IIndexMap map,
    IndexErrors errors,
    IndexCounters counters,
    IndexingOptions options
)
{
    private readonly BatchSize _size = new();
    private long _mostBytes;
    private long _lastBatchBytes;
    private int _lastChanges;
    private long _lastEtag;

    /// <summary>A document that does not fit into a transaction by itself, and why; 0: none.</summary>
    private (long Etag, string Reason) _tooLarge;

    /// <summary>Documents are being read: what is damaged then is not the index's.</summary>
    public bool ReadsDocuments { get; private set; }

    /// <summary>Asked now and then while a batch is collected: it is to end now.</summary>
    public Func<bool> MustEnd { get; init; } = () => false;

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

    /// <summary>A turn begins: nothing is known of what may be damaged.</summary>
    public void BeginTurn() => ReadsDocuments = false;

    /// <summary>Runs one batch. Errors: <see cref="RolledBackException"/> when commits were taken back that the progress is of,
    /// <see cref="LimitExceededException"/> for a batch that does not fit into a transaction (<see cref="TryMakeSmaller"/>), and those of
    /// Storage.</summary>
    /// <param name="track">The index.</param>
    /// <param name="consumer">As the documents know it.</param>
    /// <param name="share">What the batch draws its memory from.</param>
    public FollowedBatch Run(IndexTrack track, string consumer, IndexMemory.Share share)
    {
        ReadsDocuments = false;
        if (track.Storage.Generation != track.Generation)
            throw RolledBack(track.Storage);
        using var batch = track.Content.BeginBatch();
        long started = options.Clock.GetTimestamp();
        _mostBytes = _size.MostBytesIn(track.Storage.ScratchRoomBytes, track.Storage.Options.MaxTransactionBytes);
        var (collected, rebuildReason) = Collect(track.Progress, consumer, batch, share, started);
        if (rebuildReason is not null)
            return new FollowedBatch(rebuildReason, null, IsAtEnd: false, 0);
        var committed = collected.Position > track.Progress.Position ? Apply(track, batch, collected, started) : null;
        counters.BatchBytes = 0;
        return new FollowedBatch(null, committed, collected.IsAtEnd, collected.SeenUpTo);
    }

    /// <summary>
    /// A batch did not fit into a transaction: the next one is smaller. One of a single document leaves that document out, as one that
    /// cannot be mapped. Returns false when there is nothing left to leave out.
    /// </summary>
    public bool TryMakeSmaller(LimitExceededException large)
    {
        if (_lastChanges > 1)
        {
            _size.Refused(_lastBatchBytes);
            return true;
        }
        if (_lastChanges == 0 || _tooLarge.Etag == _lastEtag)
            return false;
        _tooLarge = (_lastEtag, $"It does not fit into a transaction of the index: {large.Message}");
        return true;
    }

    /// <summary>The highest etag of a change of its collections.</summary>
    public long LastChange(DocumentsReader reader)
    {
        if (collections.Length == 0)
            return reader.LastChange();
        long last = 0;
        foreach (string collection in collections)
            last = Math.Max(last, reader.LastChange(collection));
        return last;
    }

    /// <summary>Why what the content holds is not of these documents' history; null: it is. See docs/indexing.md, "When an index is built
    /// again".</summary>
    public string? WhyNotToGoOn(IndexProgress progress, string consumer)
    {
        if (progress.DatabaseId is not { } databaseId)
            return null;
        if (progress.ValuesVersion != IndexedValues.Version)
            return $"it holds values of version {progress.ValuesVersion}, and this server compares those of version "
                + $"{IndexedValues.Version}.";
        if (databaseId != documents.Id && !documents.Ancestors.Any(of => of.DatabaseId == databaseId && progress.Position <= of.ForkEtag))
            return "it was built from another database.";
        ReadsDocuments = true;
        using var reader = documents.Open("index start");
        long last = collections.Length == 0 ? reader.LastEtag : LastChange(reader);
        string? reason =
            progress.Position > last
                ? $"it has seen changes up to etag {progress.Position}, and the documents have none above {last}: "
                    + "an older copy was restored."
                : WhyGapMatters(reader, progress.Position, consumer);
        ReadsDocuments = false;
        return reason;
    }

    /// <summary>Of each collection the highest etags of a document and of a deletion that were seen.</summary>
    public (long Document, long Deletion)[] CollectionsOf(IndexProgress progress)
    {
        var places = new (long, long)[Math.Max(1, collections.Length)];
        for (int i = 0; i < Math.Min(places.Length, progress.Collections.Count); i++)
            places[i] = progress.Collections[i];
        return places;
    }

    /// <summary>Deletions behind the position were forgotten before the index saw them.</summary>
    private static string? WhyGapMatters(DocumentsReader reader, long position, string consumer)
    {
        foreach (var gap in reader.Gaps(consumer))
        {
            if (gap.ToEtag > position)
                return $"{gap.Deletions + gap.Events} deletions between etags {gap.FromEtag} and {gap.ToEtag} were forgotten before it had "
                    + "seen them.";
        }
        return null;
    }

    /// <summary>Reads changes behind the position, with as many readers as the time of a batch needs.</summary>
    private (Collected Collected, string? RebuildReason) Collect(
        IndexProgress progress,
        string consumer,
        IIndexBatch batch,
        IndexMemory.Share share,
        long started
    )
    {
        var collected = new Collected { Position = progress.Position, Collections = CollectionsOf(progress) };
        bool isFirst = true;
        bool goesOn = true;
        _lastChanges = 0;
        while (goesOn)
        {
            ReadsDocuments = true;
            using (var reader = documents.Open("index batch"))
            {
                if (isFirst && WhyGapMatters(reader, progress.Position, consumer) is { } reason)
                    return (collected, reason);
                if (isFirst)
                    map.Begin(batch);
                isFirst = false;
                goesOn = Collect(reader, batch, share, started, ref collected);
            }
            ReadsDocuments = false;
        }
        (_lastChanges, _lastEtag) = (collected.Changes, collected.Position);
        if (collected.IsAtEnd)
            // Deletions that were forgotten before anybody wanted them have the last etags.
            collected.Position = Math.Max(collected.Position, collected.LastChange);
        else if (options.Planted == PlantedIndexFault.ClaimEnd)
            collected.Position = Math.Max(collected.Position, documents.LastDurableEtag());
        return (collected, null);
    }

    /// <summary>With one reader. Returns whether the batch goes on with another one.</summary>
    private bool Collect(DocumentsReader reader, IIndexBatch batch, IndexMemory.Share share, long started, ref Collected collected)
    {
        var changes = collections.Length == 0 ? reader.Changes(collected.Position) : reader.Changes(collections, collected.Position);
        while (changes.MoveNext())
        {
            var change = changes.Current;
            if (change.IsTombstone)
                Take(change.Tombstone, batch, ref collected);
            else if (change.Document.IsDeleted && options.Planted != PlantedIndexFault.MapDeletedEvents)
                TakeDeleted(change.Document, batch, ref collected);
            else if (!TryTake(change.Document, batch, ref collected))
                return false;
            collected.Position = changes.CurrentEtag;
            long bytes = counters.BatchBytes = _lastBatchBytes = batch.Bytes;
            if (!share.TryGrow(bytes) || bytes >= _mostBytes)
                return false;
            if (!reader.IsDue)
                continue;
            return options.Clock.GetElapsedTime(started) < IndexingLimits.BatchTime && !MustEnd();
        }
        collected.IsAtEnd = true;
        collected.SeenUpTo = reader.LastEtag;
        collected.LastChange = LastChange(reader);
        return false;
    }

    private void Take(in Tombstone tombstone, IIndexBatch batch, ref Collected collected)
    {
        if (options.Planted != PlantedIndexFault.SkipDeletions)
            batch.DeleteSource(tombstone.LowerId);
        collected.Deletions++;
        ref var place = ref collected.Collections[PlaceOf(tombstone.Collection)];
        place.Deletion = Math.Max(place.Deletion, tombstone.Etag);
    }

    /// <summary>
    /// An event that is deleted by now is not mapped: its deletion may be older than the index, which then holds it back from nobody, and
    /// would never hear of it if it were removed between two batches.
    /// </summary>
    private void TakeDeleted(in Document document, IIndexBatch batch, ref Collected collected)
    {
        batch.DeleteSource(document.LowerId);
        collected.Deletions++;
        ref var place = ref collected.Collections[PlaceOf(document.Collection)];
        place.Document = Math.Max(place.Document, document.Etag);
    }

    /// <summary>Returns false, and takes nothing, when the batch has no room for the document: the next one begins with it.</summary>
    private bool TryTake(in Document document, IIndexBatch batch, ref Collected collected)
    {
        string? failure = _tooLarge.Etag == document.Etag ? _tooLarge.Reason : null;
        if (failure is null)
        {
            batch.BeginSource(document.LowerId);
            try
            {
                map.Map(document, batch);
            }
            catch (LimitExceededException) when (collected.Changes > 0)
            {
                // Whether the document is too large by itself shows in a batch of its own.
                batch.AbandonSource();
                return false;
            }
            catch (Exception unmappable) when (unmappable is MappingException or LimitExceededException)
            {
                batch.AbandonSource();
                failure = unmappable.Message;
            }
        }
        if (failure is not null)
        {
            // What it had before goes too: it is not what the document says now.
            if (options.Planted != PlantedIndexFault.KeepFailed)
                batch.DeleteSource(document.LowerId);
            collected.Failures++;
            errors.Add(Encoding.UTF8.GetString(document.Id), "Map", failure);
        }
        collected.Documents++;
        ref var place = ref collected.Collections[PlaceOf(document.Collection)];
        place.Document = Math.Max(place.Document, document.Etag);
        return true;
    }

    private IndexBatchRecord Apply(IndexTrack track, IIndexBatch batch, in Collected collected, long started)
    {
        var clock = options.Clock;
        long bytes = batch.Bytes;
        long mapped = clock.GetTimestamp();
        long now = clock.GetUtcNow().UtcTicks;
        var progress = new IndexProgress
        {
            Position = collected.Position,
            AtTicks = now,
            DatabaseId = documents.Id,
            Collections = collected.Collections,
        };
        if (options.Planted == PlantedIndexFault.PositionBeforeEntries)
            CommitPositionAlone(track, progress);
        progress.Write(batch);
        using (var writer = track.Storage.BeginWrite())
        {
            if (writer.Generation != track.Generation && options.Planted != PlantedIndexFault.ForgetRollBack)
                throw RolledBack(track.Storage);
            batch.Apply(writer);
            _size.Applied(bytes, writer.ScratchBytes, track.Storage.Options.MaxTransactionBytes);
            track.Committed(writer.Commit(), progress);
        }
        return new IndexBatchRecord(
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
    }

    /// <summary>A mistake for a test to find.</summary>
    private static void CommitPositionAlone(IndexTrack track, IndexProgress progress)
    {
        using var batch = track.Content.BeginBatch();
        progress.Write(batch);
        using var writer = track.Storage.BeginWrite();
        batch.Apply(writer);
        track.Committed(writer.Commit(), progress);
    }

    private int PlaceOf(ReadOnlySpan<byte> collection)
    {
        if (collections.Length <= 1)
            return 0;
        string name = Encoding.UTF8.GetString(collection);
        return Math.Max(0, Array.FindIndex(collections, own => string.Equals(own, name, StringComparison.OrdinalIgnoreCase)));
    }

    private static RolledBackException RolledBack(StorageEnvironment storage) =>
        new(storage.Name, storage.LastRollBack!.To, storage.LastRollBack.Cause);
}

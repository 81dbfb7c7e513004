using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>The changes themselves: each takes everything as decided, as a replica would.</summary>
internal sealed partial class DocumentsWriter
{
    /// <summary>
    /// Stores a document in place of the one with <paramref name="replacedEtag"/>. 0: there is none of this id; its tombstone in
    /// this collection, if any, goes, and those in other collections stay for their readers.
    /// </summary>
    public void Apply(in NewDocument document, long replacedEtag)
    {
        Invariant.Require(document.Etag > replacedEtag && document.Etag <= _lastEtag && document.CollectionId != 0);
        Changes++;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(document.Etag, key);
        int size = DocumentRow.SizeOf(document);
        var collection = CollectionOf(document.CollectionId);
        FaultPoint?.Invoke();
        if (replacedEtag != 0)
        {
            Span<byte> replacedKey = stackalloc byte[Schema.EtagKeyBytes];
            Schema.WriteEtagKey(replacedEtag, replacedKey);
            int replacedSize = RowLength(replacedKey, out var replacedDates);
            collection.DocumentBytes += size - replacedSize;
            RemoveDates(replacedDates, replacedEtag, isReplaced: true);
            ReplaceRow(document, size, replacedKey, key);
        }
        else
        {
            DeleteTombstone(document.LowerId, document.CollectionId);
            if (Planted == PlantedMergerFault.PutRemovesEveryTombstone)
            {
                foreach (uint other in _collectionsById.Keys)
                    DeleteTombstone(document.LowerId, other);
            }
            collection.DocumentCount++;
            collection.DocumentBytes += size;
            InsertRow(document, size, key);
        }
        AddDates(document.Dates, document.Etag);
        collection.LastDocumentEtag = document.Etag;
        NoteTrace(document.Etag);
        FaultPoint?.Invoke();
    }

    /// <summary>Deletes a document, leaving the tombstone.</summary>
    public void Apply(in NewTombstone tombstone)
    {
        Invariant.Require(tombstone.Etag > tombstone.DocumentEtag && tombstone.DocumentEtag > 0 && tombstone.Etag <= _lastEtag);
        Changes++;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(tombstone.DocumentEtag, key);
        var collection = CollectionOf(tombstone.CollectionId);
        collection.DocumentCount--;
        collection.DocumentBytes -= RowLength(key, out var dates);
        collection.TombstoneCount++;
        collection.LastTombstoneEtag = tombstone.Etag;
        FaultPoint?.Invoke();
        RemoveDates(dates, tombstone.DocumentEtag, isReplaced: false);
        Invariant.Require(_documents.Delete(key));
        FaultPoint?.Invoke();
        Schema.WriteEtagKey(tombstone.Etag, key);
        var row = _rowBuffer.AsSpan(0, TombstoneRow.SizeOf(tombstone));
        TombstoneRow.Write(tombstone, row);
        _tombstones.Insert(key, row);
        NoteTrace(tombstone.Etag);
        FaultPoint?.Invoke();
    }

    /// <summary>Removes, of each collection, the oldest tombstones that <paramref name="cleaning"/> takes, telling it of each.
    /// Returns how many; fewer than <paramref name="atMost"/>: there are no more.</summary>
    public int RemoveTombstones(CleanTombstonesOperation cleaning, int atMost)
    {
        int removed = 0;
        // In one order, whenever the collections were read.
        foreach (var collection in _collectionsById.Values.OrderBy(collection => collection.Id))
        {
            if (collection.TombstoneCount > 0 && removed < atMost)
                removed += RemoveTombstones(collection, cleaning, atMost - removed);
        }
        return removed;
    }

    private int RemoveTombstones(CollectionRow collection, CleanTombstonesOperation cleaning, int atMost)
    {
        var bound = cleaning.BoundOf(collection);
        if (Planted == PlantedMergerFault.CleaningForgetsConsumers)
            bound = bound with { UpToEtag = long.MaxValue };
        int removed = 0;
        Span<byte> first = stackalloc byte[Schema.CollectionKeyBytes];
        Schema.WriteCollectionKey(collection.Id, 0, first);
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        for (; removed < atMost; removed++)
        {
            using (var cursor = _tombstones.OpenCursor(Schema.TombstonesByCollection))
            {
                if (!cursor.Seek(first) || !cursor.IndexKey.StartsWith(first[..sizeof(uint)]))
                    return removed;
                long etag = Schema.ReadEtagKey(cursor.PrimaryKey);
                if (!cleaning.Takes(bound, etag, new TombstoneRow(cursor.Row).LastModifiedTicks))
                    return removed;
                cleaning.Removing(bound, etag);
                cursor.PrimaryKey.CopyTo(key);
            }
            CollectionOf(collection.Id).TombstoneCount--;
            Changes++;
            Invariant.Require(_tombstones.Delete(key));
            FaultPoint?.Invoke();
        }
        return removed;
    }

    /// <summary>Tombstones that there are now.</summary>
    public long TombstoneCount => _tombstones.EntryCount;

    private void DeleteTombstone(ReadOnlySpan<byte> lowerId, uint collectionId)
    {
        if (_tombstones.EntryCount == 0)
            return;
        Span<byte> indexKey = stackalloc byte[Schema.MaxTombstoneKeyBytes];
        indexKey = indexKey[..Schema.WriteTombstoneKey(lowerId, collectionId, indexKey)];
        if (!_tombstones.TryGetByIndex(Schema.TombstonesById, indexKey, out var found, out _))
            return;
        CollectionOf(collectionId).TombstoneCount--;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        found.CopyTo(key);
        Invariant.Require(_tombstones.Delete(key));
        FaultPoint?.Invoke();
    }

    private int RowLength(ReadOnlySpan<byte> key, out DocumentDates dates)
    {
        Invariant.Require(_documents.TryGet(key, out var row));
        dates = new DocumentRow(row).Dates;
        return row.Length;
    }

    private void InsertRow(in NewDocument document, int size, ReadOnlySpan<byte> key)
    {
        if (size <= RowBufferBytes)
        {
            var row = _rowBuffer.AsSpan(0, size);
            DocumentRow.Write(document, row);
            _documents.Insert(key, row);
            return;
        }
        DocumentRow.Write(document, _documents.Reserve(key, size));
        _documents.CompleteReservation();
    }

    private void ReplaceRow(in NewDocument document, int size, ReadOnlySpan<byte> replacedKey, ReadOnlySpan<byte> key)
    {
        if (size <= RowBufferBytes)
        {
            var row = _rowBuffer.AsSpan(0, size);
            DocumentRow.Write(document, row);
            bool isRecent = document.Etag - Schema.ReadEtagKey(replacedKey) <= RecentEtags;
            _documents.Replace(replacedKey, key, row, atOnce: isRecent);
            return;
        }
        Invariant.Require(_documents.Delete(replacedKey));
        FaultPoint?.Invoke();
        InsertRow(document, size, key);
    }
}

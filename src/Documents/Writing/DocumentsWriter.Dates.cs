using Jackdaw.Documents.Layout;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>The dates of documents, in the order of time.</summary>
internal sealed partial class DocumentsWriter
{
    private long _configurations;

    /// <summary>A number for a change of configuration: whoever has the highest was executed last.</summary>
    public long NextConfiguration() => ++_configurations;

    /// <summary>
    /// Finds the first entry of a kind at a key or after it. The row that it belongs to is found by the etag (<see cref="GetVersion"/>).
    /// </summary>
    public bool TryGetDate(DocumentDateKind kind, (long Ticks, long Etag) from, out (long Ticks, long Etag) found)
    {
        found = default;
        if (!Transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out var tree))
            return false;
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        Schema.WriteDateKey(from.Ticks, from.Etag, key);
        using var cursor = tree.OpenCursor();
        if (!cursor.Seek(key))
            return false;
        found = Schema.ReadDateKey(cursor.Key);
        return true;
    }

    /// <summary>The document with an etag, which is there. The row lies in page memory: valid until the next change.</summary>
    public DocumentRow GetVersion(long etag)
    {
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(etag, key);
        Invariant.Require(_documents.TryGet(key, out var row), "a date belongs to a document that is there");
        return new DocumentRow(row);
    }

    /// <summary>Finds how documents expire or are refreshed; valid until the next change.</summary>
    public bool TryGetDatesValue(DocumentDateKind kind, out ReadOnlySpan<byte> value) => Values.TryGet(Schema.DatesValue(kind), out value);

    /// <summary>Stores how documents expire or are refreshed.</summary>
    public void SetDatesValue(DocumentDateKind kind, ReadOnlySpan<byte> value)
    {
        Changes++;
        FaultPoint?.Invoke();
        Values.Put(Schema.DatesValue(kind), value);
    }

    private void AddDates(in DocumentDates dates, long etag)
    {
        if (dates.Expires is { } expires)
            AddDate(DocumentDateKind.Expires, expires, etag);
        if (dates.Refresh is { } refresh)
            AddDate(DocumentDateKind.Refresh, refresh, etag);
    }

    private void RemoveDates(in DocumentDates dates, long etag, bool isReplaced)
    {
        if (isReplaced && Planted == PlantedMergerFault.FormerDateStays)
            return;
        if (dates.Expires is { } expires)
            RemoveDate(DocumentDateKind.Expires, expires, etag);
        if (dates.Refresh is { } refresh && (isReplaced || Planted != PlantedMergerFault.DateOutlivesDocument))
            RemoveDate(DocumentDateKind.Refresh, refresh, etag);
    }

    private void AddDate(DocumentDateKind kind, long ticks, long etag)
    {
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        Schema.WriteDateKey(ticks, etag, key);
        Invariant.Require(Transaction.Catalog.OpenTree(Schema.DatesTree(kind)).Put(key, default));
        if (Planted != PlantedMergerFault.DateWakesNobody)
            DueDates.Note(kind, ticks);
        FaultPoint?.Invoke();
    }

    private void RemoveDate(DocumentDateKind kind, long ticks, long etag)
    {
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        Schema.WriteDateKey(ticks, etag, key);
        Invariant.Require(Transaction.Catalog.OpenTree(Schema.DatesTree(kind)).Delete(key));
        FaultPoint?.Invoke();
    }
}

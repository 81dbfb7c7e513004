using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Layout;

/// <summary>The dates of a kind in the order of time, at one moment.</summary>
internal static class DateTree
{
    /// <summary>The earliest date of a kind, UTC ticks; null: there is none.</summary>
    public static long? First(PageTransaction transaction, DocumentDateKind kind)
    {
        if (!transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out var tree))
            return null;
        using var cursor = tree.OpenCursor();
        return cursor.SeekFirst() ? Schema.ReadDateKey(cursor.Key).Ticks : null;
    }

    /// <summary>The first entry of a kind at a key or after it that lies on no damaged page, nor below one; null: there is none.</summary>
    public static (long Ticks, long Etag)? FirstReadable(PageTransaction transaction, DocumentDateKind kind, (long Ticks, long Etag) from)
    {
        if (!transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out var tree))
            return null;
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        Schema.WriteDateKey(from.Ticks, from.Etag, key);
        using var cursor = tree.OpenCursor();
        return cursor.SeekBeyondDamage(key) ? Schema.ReadDateKey(cursor.Key) : null;
    }

    /// <summary>Documents that have a date of a kind.</summary>
    public static long Count(PageTransaction transaction, DocumentDateKind kind) =>
        transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out var tree) ? tree.EntryCount : 0;
}

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

    /// <summary>Documents that have a date of a kind.</summary>
    public static long Count(PageTransaction transaction, DocumentDateKind kind) =>
        transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out var tree) ? tree.EntryCount : 0;
}

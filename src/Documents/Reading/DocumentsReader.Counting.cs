using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Reading;

/// <summary>Counting what lies above an etag with bounded work: index entries are stepped over, no row is looked at.</summary>
public sealed partial class DocumentsReader
{
    /// <summary>A collection's documents with an etag above <paramref name="afterEtag"/>.</summary>
    /// <param name="collection">In any casing; an unknown one is empty.</param>
    /// <param name="afterEtag">Not counted itself.</param>
    /// <param name="atMost">Entries counted at each side of it: exact as long as one side has no more.</param>
    public CountedChanges CountDocuments(string collection, long afterEtag, int atMost) =>
        CollectionNames.IsEvents(collection) ? Presented?.CountWritten(afterEtag, atMost) ?? new(0, IsExact: true)
        : FindCollection(collection) is { } found
            ? Count(_documents, Schema.DocumentsByCollection, found.Id, found.DocumentCount, afterEtag, atMost)
        : new(0, IsExact: true);

    /// <summary>A collection's tombstones likewise.</summary>
    public CountedChanges CountTombstones(string collection, long afterEtag, int atMost) =>
        CollectionNames.IsEvents(collection) ? Presented?.CountDeleted(afterEtag, atMost) ?? new(0, IsExact: true)
        : FindCollection(collection) is { } found
            ? Count(_tombstones, Schema.TombstonesByCollection, found.Id, found.TombstoneCount, afterEtag, atMost)
        : new(0, IsExact: true);

    private static CountedChanges Count(Table table, TableIndex index, uint collectionId, long total, long afterEtag, int atMost)
    {
        byte[] start = new byte[Schema.CollectionKeyBytes];
        Schema.WriteCollectionKey(collectionId, Math.Max(0, afterEtag), start);
        return Count(table, index, CollectionPrefix(collectionId), start, total, atMost);
    }

    /// <summary>Counts the entries of a prefix behind a key that ends in an etag.</summary>
    internal static CountedChanges Count(Table table, TableIndex? index, byte[] prefix, byte[] start, long total, int atMost)
    {
        using var up = new RowCursor(table, index, prefix, start, startIsIncluded: false, isDescending: false);
        var (above, aboveEtag) = Step(up, atMost);
        if (above < atMost)
            return new(above, IsExact: true);
        using var down = new RowCursor(table, index, prefix, start, startIsIncluded: true, isDescending: true);
        var (below, belowEtag) = Step(down, atMost);
        if (below < atMost)
            return new(total - below, IsExact: true);
        // The others lie before the one side and behind the other: as many on each as it has etags.
        using var first = new RowCursor(table, index, prefix, [], startIsIncluded: true, isDescending: false);
        using var last = new RowCursor(table, index, prefix, [], startIsIncluded: true, isDescending: true);
        double before = first.MoveNext() ? belowEtag - first.Etag : 0;
        double behind = last.MoveNext() ? last.Etag - aboveEtag : 0;
        double others = Math.Max(0, total - above - below);
        return new(above + (long)(before + behind > 0 ? others * (behind / (before + behind)) : others), IsExact: others == 0);
    }

    private static (int Count, long LastEtag) Step(RowCursor cursor, int atMost)
    {
        int count = 0;
        long etag = 0;
        while (count < atMost && cursor.MoveNext())
        {
            count++;
            etag = cursor.Etag;
        }
        return (count, etag);
    }
}

using System.Buffers;
using System.Runtime.InteropServices;
using System.Text.Unicode;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.Reading;

/// <summary>What has happened since an etag, and the deletions of one id.</summary>
public sealed partial class DocumentsReader
{
    /// <summary>
    /// Changes of all collections but <c>@events</c> above <paramref name="afterEtag"/>, merged in etag order: what a
    /// consumer of everything reads. Of a document that was deleted in one collection and put in another, the deletion comes first.
    /// </summary>
    public ChangeCursor Changes(long afterEtag, ChangeKinds kinds = ChangeKinds.All)
    {
        var sources = new List<IChangeSource>();
        if (kinds.HasFlag(ChangeKinds.Documents))
            sources.Add(ByEtag(afterEtag));
        if (kinds.HasFlag(ChangeKinds.Deletions))
            sources.Add(Tombstones(afterEtag));
        return new ChangeCursor(sources);
    }

    /// <summary>A collection's changes above <paramref name="afterEtag"/>, merged in etag order.</summary>
    public ChangeCursor Changes(string collection, long afterEtag) => Changes([collection], afterEtag);

    /// <summary>Changes of some collections above <paramref name="afterEtag"/>, merged in etag order.</summary>
    /// <param name="collections">In any casing; one that is named twice counts once, an unknown one is empty.</param>
    /// <param name="afterEtag">Not shown itself.</param>
    /// <param name="kinds">Which changes.</param>
    public ChangeCursor Changes(IEnumerable<string> collections, long afterEtag, ChangeKinds kinds = ChangeKinds.All)
    {
        ArgumentNullException.ThrowIfNull(collections);
        var sources = new List<IChangeSource>();
        var known = new HashSet<uint>();
        bool hasEvents = false;
        foreach (string collection in collections)
        {
            if (CollectionNames.IsEvents(collection))
            {
                if (!hasEvents && Presented is { } presented)
                    AddPresented(presented, afterEtag, kinds, sources);
                hasEvents = true;
                continue;
            }
            if (FindCollection(collection) is not { } found || !known.Add(found.Id))
                continue;
            if (kinds.HasFlag(ChangeKinds.Documents))
                sources.Add(new DocumentCursor(Rows(_documents, Schema.DocumentsByCollection, found, afterEtag)));
            if (kinds.HasFlag(ChangeKinds.Deletions))
                sources.Add(new TombstoneCursor(Rows(_tombstones, Schema.TombstonesByCollection, found, afterEtag)));
        }
        return new ChangeCursor(sources);
    }

    /// <summary>
    /// The highest etag of a change of a collection: of a document that it has or had, or of a deletion, forgotten ones too; 0 when there
    /// was none.
    /// </summary>
    /// <param name="collection">In any casing.</param>
    public long LastChange(string collection) =>
        CollectionNames.IsEvents(collection) ? Presented?.LastChange ?? 0
        : FindCollection(collection) is { } found ? Math.Max(found.LastDocumentEtag, found.LastTombstoneEtag)
        : 0;

    /// <summary>The highest etag of a change of any collection but <c>@events</c>, forgotten deletions included; 0 when there was
    /// none.</summary>
    public long LastChange()
    {
        long last = 0;
        if (!_transaction.Catalog.TryOpenTree(Schema.CollectionsTree, out var tree))
            return last;
        using var cursor = tree.OpenCursor();
        // Those that have neither documents nor deletions any more, too.
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            var row = CollectionRow.Read(cursor.Key, cursor.Value);
            last = Math.Max(last, Math.Max(row.LastDocumentEtag, row.LastTombstoneEtag));
        }
        return last;
    }

    private static void AddPresented(IPresentedDocuments presented, long afterEtag, ChangeKinds kinds, List<IChangeSource> sources)
    {
        if (kinds.HasFlag(ChangeKinds.Documents))
            sources.Add(presented.Written(afterEtag));
        if (kinds.HasFlag(ChangeKinds.Deletions))
            sources.Add(presented.Deleted(afterEtag));
    }

    /// <summary>
    /// The newest deletion of an id that is not forgotten yet, among the collections that are wanted. There may be a document of
    /// this id, which then is newer, and in another collection than the deletion.
    /// </summary>
    /// <param name="id">In any casing.</param>
    /// <param name="wants">By the collection's name; null: every collection.</param>
    /// <param name="tombstone">The deletion.</param>
    public bool TryGetNewestTombstone(string id, Func<string, bool>? wants, out Tombstone tombstone)
    {
        tombstone = default;
        Span<byte> utf8 = stackalloc byte[Limits.MaxIdBytes];
        Span<byte> lower = stackalloc byte[DocumentId.MaxLowerBytes];
        if (Utf8.FromUtf16(id, utf8, out _, out int length, replaceInvalidSequences: false) != OperationStatus.Done || length == 0)
            return false;
        int lowerLength = DocumentId.WriteLower(utf8[..length], lower);
        if (lowerLength < 0)
            return false;
        Span<byte> prefix = stackalloc byte[Schema.MaxTombstoneKeyBytes];
        prefix = prefix[..Schema.WriteTombstonePrefix(lower[..lowerLength], prefix)];
        long newest = 0;
        using var cursor = _tombstones.OpenCursor(Schema.TombstonesById);
        for (bool found = cursor.Seek(prefix); found && cursor.IndexKey.StartsWith(prefix); found = cursor.MoveNext())
        {
            long etag = Schema.ReadEtagKey(cursor.PrimaryKey);
            var row = cursor.Row;
            if (etag <= newest || (wants is not null && !wants(System.Text.Encoding.UTF8.GetString(new TombstoneRow(row).Collection))))
                continue;
            newest = etag;
            // The row lies in page memory, whatever span and cursor it was looked up with.
            var lasting = MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(row), row.Length);
            tombstone = new TombstoneRow(lasting).ToTombstone(etag);
        }
        return newest != 0;
    }
}

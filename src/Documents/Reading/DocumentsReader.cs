using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Reading;

/// <summary>
/// One read transaction: the database as of the last durable transaction when it was opened. Not thread-safe. End it soon
/// (<see cref="Dispose"/>): it holds up flushing, and must not span a network write or an idle wait; reopen by etag or id instead.
/// Ids are UTF-8, of any casing, and need not be valid (an impossible id is simply not found).
/// </summary>
public sealed partial class DocumentsReader : IDisposable
{
    private readonly ReadTransaction _transaction;
    private readonly Action<ReadTransaction>? _end;
    private readonly ReaderAges? _ages;
    private readonly long _began;
    private readonly Table _documents;
    private readonly Table _tombstones;
    private readonly Func<DocumentsReader, IPresentedDocuments>? _present;
    private IPresentedDocuments? _presented;
    private List<RowCursor>? _cursors;
    private bool _hasEnded;

    /// <param name="transaction">Ends with the reader.</param>
    /// <param name="ended">Called once, to end the transaction; null: it is simply disposed of.</param>
    /// <param name="ages">Tells when the reader is due to end; null: never.</param>
    /// <param name="present">Opens what a room presents as documents, when somebody names it; null: nothing is.</param>
    internal DocumentsReader(
        ReadTransaction transaction,
        Action<ReadTransaction>? ended,
        ReaderAges? ages = null,
        Func<DocumentsReader, IPresentedDocuments>? present = null
    )
    {
        _transaction = transaction;
        _present = present;
        _end = ended;
        _ages = ages;
        _began = ages?.Now ?? 0;
        _documents = transaction.Catalog.OpenTable(Schema.Documents);
        _tombstones = transaction.Catalog.OpenTable(Schema.Tombstones);
    }

    /// <summary>The document of an id in UTF-8, or the event that is presented under it.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> id, out Document document) => TryGet(id, deletedToo: false, out document);

    /// <summary>As <see cref="TryGet(ReadOnlySpan{byte}, out Document)"/>; an event also when it is deleted, as long as it is on disk:
    /// for those who were shown it by its changes.</summary>
    public bool TryGetChanged(string id, out Document document)
    {
        Span<byte> utf8 = stackalloc byte[Limits.MaxIdBytes];
        var status = System.Text.Unicode.Utf8.FromUtf16(id, utf8, out _, out int length, replaceInvalidSequences: false);
        document = default;
        return status == OperationStatus.Done && TryGet(utf8[..length], deletedToo: true, out document);
    }

    [SkipLocalsInit]
    private bool TryGet(scoped ReadOnlySpan<byte> id, bool deletedToo, out Document document)
    {
        document = default;
        if (id.Length is 0 or > Limits.MaxIdBytes)
            return false;
        Span<byte> lower = stackalloc byte[DocumentId.MaxLowerBytes];
        int length = DocumentId.WriteLower(id, lower);
        if (length > 0 && lower[..length].StartsWith(CollectionNames.EventIds))
            return Presented is { } presented && presented.TryGet(lower[..length], deletedToo, out document);
        if (length < 0 || !_documents.TryGetByIndex(Schema.DocumentsById, lower[..length], out var key, out var row))
            return false;
        // The row lies in page memory, whatever span it was looked up with.
        var lasting = MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(row), row.Length);
        document = new DocumentRow(lasting).ToDocument(Schema.ReadEtagKey(key));
        return true;
    }

    /// <summary>The document of an id.</summary>
    public bool TryGet(string id, out Document document)
    {
        Span<byte> utf8 = stackalloc byte[Limits.MaxIdBytes];
        var status = System.Text.Unicode.Utf8.FromUtf16(id, utf8, out _, out int length, replaceInvalidSequences: false);
        if (status == OperationStatus.Done)
            return TryGet(utf8[..length], out document);
        document = default;
        return false;
    }

    /// <summary>All documents with an etag above <paramref name="afterEtag"/>, in etag order.</summary>
    public DocumentCursor ByEtag(long afterEtag) => new(Rows(_documents, afterEtag));

    /// <summary>A collection's documents with an etag above <paramref name="afterEtag"/>, in etag order; empty for an unknown
    /// collection. <c>@empty</c> is a collection here, and so is <c>@events</c>.</summary>
    public DocumentCursor ByEtag(string collection, long afterEtag) =>
        CollectionNames.IsEvents(collection)
            ? new(Presented?.ByEtag(afterEtag))
            : new(Rows(_documents, Schema.DocumentsByCollection, collection, afterEtag));

    /// <summary>All documents with an etag below <paramref name="beforeEtag"/>, newest (highest etag) first.</summary>
    public DocumentCursor NewestFirst(long beforeEtag)
    {
        byte[] start = new byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(Math.Max(0, beforeEtag), start);
        return new(Track(new RowCursor(_documents, null, [], start, startIsIncluded: false, isDescending: true)));
    }

    /// <summary>All documents, newest (highest etag) first.</summary>
    public DocumentCursor NewestFirst() => new(Track(new RowCursor(_documents, null, [], [], startIsIncluded: true, isDescending: true)));

    /// <summary>A collection's documents, newest first.</summary>
    public DocumentCursor NewestFirst(string collection) =>
        new(
            FindCollection(collection) is { } found
                ? Track(
                    new RowCursor(
                        _documents,
                        Schema.DocumentsByCollection,
                        CollectionPrefix(found.Id),
                        [],
                        startIsIncluded: true,
                        isDescending: true
                    )
                )
                : null
        );

    /// <summary>
    /// Documents whose id begins with <paramref name="prefix"/> (empty: all), in id order, beginning after
    /// <paramref name="startAfter"/> (empty: at the first). Events are shown to a prefix that begins with <c>@events/</c>.
    /// </summary>
    public DocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startAfter) =>
        ByIdPrefix(prefix, startAfter, isDescending: false);

    /// <summary>As <see cref="ByIdPrefix(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>, but in descending id order, beginning before
    /// <paramref name="startBefore"/> (empty: at the last).</summary>
    public DocumentCursor ByIdPrefixDescending(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> startBefore) =>
        ByIdPrefix(prefix, startBefore, isDescending: true);

    /// <summary>All tombstones with an etag above <paramref name="afterEtag"/>, in etag order.</summary>
    public TombstoneCursor Tombstones(long afterEtag) => new(Rows(_tombstones, afterEtag));

    /// <summary>A collection's tombstones with an etag above <paramref name="afterEtag"/>, in etag order.</summary>
    public TombstoneCursor Tombstones(string collection, long afterEtag) =>
        new(Rows(_tombstones, Schema.TombstonesByCollection, collection, afterEtag));

    /// <summary>Documents in the database.</summary>
    public long DocumentCount => _documents.EntryCount;

    /// <summary>Deletions not yet cleaned.</summary>
    public long TombstoneCount => _tombstones.EntryCount;

    /// <summary>The highest etag handed out, whatever for; 0 in a new database.</summary>
    public long LastEtag => DocumentsWriter.ReadLastEtag(_transaction);

    /// <summary>The highest etag of a document; 0 when there is none.</summary>
    public long LastDocumentEtag
    {
        get
        {
            using var cursor = _documents.OpenCursor();
            return cursor.SeekLast() ? Schema.ReadEtagKey(cursor.Key) : 0;
        }
    }

    /// <summary>Every collection that holds documents or tombstones, by name.</summary>
    public IReadOnlyList<CollectionStatistics> Collections()
    {
        var collections = new List<CollectionStatistics>();
        if (!_transaction.Catalog.TryOpenTree(Schema.CollectionsTree, out var tree))
            return collections;
        using var cursor = tree.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            var row = CollectionRow.Read(cursor.Key, cursor.Value);
            if (row.DocumentCount + row.TombstoneCount > 0)
                collections.Add(ToStatistics(row));
        }
        return collections;
    }

    /// <summary>Null for an unknown collection; the name in any casing. Of <c>@events</c> it counts the events on disk, those that are
    /// deleted and not removed yet included (<see cref="CountOf"/>).</summary>
    public CollectionStatistics? Collection(string name) =>
        CollectionNames.IsEvents(name) ? Presented?.Statistics
        : FindCollection(name) is { } row ? ToStatistics(row)
        : null;

    /// <summary>Documents of a collection; null when telling it takes a scan, which happens for <c>@events</c> only.</summary>
    /// <param name="name">In any casing; an unknown collection is empty.</param>
    public long? CountOf(string name) =>
        CollectionNames.IsEvents(name) && Presented is { } presented ? presented.Count : Collection(name)?.DocumentCount ?? 0;

    /// <summary>Identities that were used or seeded.</summary>
    public long IdentityCount => _transaction.Catalog.TryOpenTree(Schema.IdentitiesTree, out var tree) ? tree.EntryCount : 0;

    /// <summary>Identities in the order of their keys' bytes: the key in lower case ending in <c>|</c>, and the last value handed
    /// out.</summary>
    /// <param name="after">Beginning after this key; empty: at the first.</param>
    /// <param name="atMost">No more than so many.</param>
    public IReadOnlyList<KeyValuePair<string, long>> Identities(string after = "", int atMost = int.MaxValue)
    {
        var identities = new List<KeyValuePair<string, long>>();
        if (!_transaction.Catalog.TryOpenTree(Schema.IdentitiesTree, out var tree))
            return identities;
        byte[] start = Encoding.UTF8.GetBytes(after);
        using var cursor = tree.OpenCursor();
        bool found = start.Length == 0 ? cursor.SeekFirst() : cursor.Seek(start);
        if (found && start.Length > 0 && cursor.Key.SequenceEqual(start))
            found = cursor.MoveNext();
        for (; found && identities.Count < atMost; found = cursor.MoveNext())
            identities.Add(new(Encoding.UTF8.GetString(cursor.Key), BinaryPrimitives.ReadInt64LittleEndian(cursor.Value)));
        return identities;
    }

    /// <summary>What another room keeps in the database.</summary>
    public RoomReader Of(Room room)
    {
        ArgumentNullException.ThrowIfNull(room);
        return new RoomReader(_transaction, room);
    }

    /// <summary>What consumers whose names begin with a text have missed; in the order of names.</summary>
    /// <param name="consumers">In any casing.</param>
    public IReadOnlyList<DeletionGap> Gaps(string consumers)
    {
        var found = new List<DeletionGap>();
        if (!_transaction.Catalog.TryOpenTree(Schema.ValuesOfRoomsTree, out var tree))
            return found;
        byte[] start = DeletionGap.KeyBytes(consumers);
        using var cursor = tree.OpenCursor();
        for (bool more = cursor.Seek(start); more && cursor.Key.StartsWith(start); more = cursor.MoveNext())
            found.Add(DeletionGap.Read(Encoding.UTF8.GetString(cursor.Key), cursor.Value));
        return found;
    }

    /// <summary>Whose request made the change with an etag; null when that is not known (any more).</summary>
    public TraceParent? Trace(long etag)
    {
        if (!_transaction.Catalog.TryOpenTree(Schema.TracesTree, out var tree))
            return null;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(etag, key);
        return tree.TryGet(key, out var value) ? TraceParent.Read(value) : null;
    }

    /// <summary>Ends the transaction and every cursor.</summary>
    public void Dispose()
    {
        if (_hasEnded)
            return;
        _hasEnded = true;
        if (_cursors is { } cursors)
        {
            foreach (var cursor in cursors)
                cursor.Dispose();
        }
        _presented?.Dispose();
        if (_end is { } end)
            end(_transaction);
        else
            _transaction.Dispose();
        _ages?.Ended(_began);
    }

    private IPresentedDocuments? Presented => _presented ??= _present?.Invoke(this);

    private DocumentCursor ByIdPrefix(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> start, bool isDescending)
    {
        // What is no text is the beginning of no id.
        if (DocumentId.Lower(prefix) is not { } lowerPrefix || DocumentId.Lower(start) is not { } lowerStart)
            return new DocumentCursor(rows: null);
        if (lowerPrefix.AsSpan().StartsWith(CollectionNames.EventIds))
            return new DocumentCursor(Presented?.ById(lowerPrefix, lowerStart, isDescending));
        return new DocumentCursor(
            Track(new RowCursor(_documents, Schema.DocumentsById, lowerPrefix, lowerStart, startIsIncluded: false, isDescending))
        );
    }

    private RowCursor Rows(Table table, long afterEtag)
    {
        byte[] start = new byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(Math.Max(0, afterEtag), start);
        return Track(new RowCursor(table, null, [], start, startIsIncluded: false, isDescending: false));
    }

    private RowCursor? Rows(Table table, TableIndex index, string collection, long afterEtag) =>
        FindCollection(collection) is { } found ? Rows(table, index, found, afterEtag) : null;

    private RowCursor Rows(Table table, TableIndex index, CollectionRow found, long afterEtag)
    {
        byte[] start = new byte[Schema.CollectionKeyBytes];
        Schema.WriteCollectionKey(found.Id, Math.Max(0, afterEtag), start);
        return Track(new RowCursor(table, index, CollectionPrefix(found.Id), start, startIsIncluded: false, isDescending: false));
    }

    private static byte[] CollectionPrefix(uint collectionId)
    {
        byte[] prefix = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(prefix, collectionId);
        return prefix;
    }

    private CollectionRow? FindCollection(string name)
    {
        if (
            name.Length == 0
            || DocumentId.Lower(Encoding.UTF8.GetBytes(name)) is not { } lowerName
            || lowerName.Length > Storage.Trees.BTree.MaxKeyBytes
            || !_transaction.Catalog.TryOpenTree(Schema.CollectionsTree, out var tree)
        )
        {
            return null;
        }
        return tree.TryGet(lowerName, out var row) ? CollectionRow.Read(lowerName, row) : null;
    }

    private static CollectionStatistics ToStatistics(CollectionRow row) =>
        new(
            Encoding.UTF8.GetString(row.Name),
            row.DocumentCount,
            row.TombstoneCount,
            row.DocumentBytes,
            row.LastDocumentEtag,
            row.LastTombstoneEtag
        );

    private RowCursor Track(RowCursor cursor)
    {
        (_cursors ??= []).Add(cursor);
        return cursor;
    }
}

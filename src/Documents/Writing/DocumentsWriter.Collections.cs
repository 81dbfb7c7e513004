using System.Buffers.Binary;
using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>Collections and identities.</summary>
internal sealed partial class DocumentsWriter
{
    private static readonly byte[] s_events = CollectionNames.Events.ToArray();

    private readonly Dictionary<byte[], CollectionRow> _collectionsByName = new(ByteKeyComparer.Instance);
    private readonly Dictionary<uint, CollectionRow> _collectionsById = [];
    private readonly HashSet<CollectionRow> _changedCollections = [];
    private readonly List<CollectionChange> _changes = [];
    private ChangeKinds _eventChanges;
    private CollectionRow? _lastCollection;
    private byte[]? _lastCollectionName;

    /// <summary>A collection's id by its lower-cased name; 0 when there is none.</summary>
    public uint FindCollection(ReadOnlySpan<byte> lowerName)
    {
        if (_lastCollectionName is { } last && lowerName.SequenceEqual(last))
            return _lastCollection!.Id;
        var lookup = _collectionsByName.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (!lookup.TryGetValue(lowerName, out byte[]? name, out var found))
            return 0;
        _lastCollection = found;
        _lastCollectionName = name;
        return found.Id;
    }

    public uint CreateCollection(ReadOnlySpan<byte> name, ReadOnlySpan<byte> lowerName)
    {
        Invariant.Require(FindCollection(lowerName) == 0 && !lowerName.IsEmpty);
        if (lowerName.SequenceEqual(CollectionNames.Events))
            throw new EventsAreReadOnlyException($"The collection '{CollectionNames.EventsText}'");
        uint last = Values.TryGet(Schema.LastCollectionIdValue, out var lastId) ? BinaryPrimitives.ReadUInt32LittleEndian(lastId) : 0;
        if (last >= CollectionNames.EventsId - 1)
            throw new NumbersExhaustedException("The list of collections", last);
        Changes++;
        FaultPoint?.Invoke();
        uint id = last + 1;
        BinaryPrimitives.WriteUInt32LittleEndian(Values.Reserve(Schema.LastCollectionIdValue, sizeof(uint), out _), id);
        var created = new CollectionRow
        {
            Id = id,
            Name = name.ToArray(),
            LowerName = lowerName.ToArray(),
        };
        Remember(created);
        _changedCollections.Add(created);
        FaultPoint?.Invoke();
        return id;
    }

    public ReadOnlySpan<byte> CollectionName(uint id) => _collectionsById[id].Name;

    /// <summary>The last value handed out; 0 for none. The name in lower case, ending in <c>|</c>.</summary>
    public long LastIdentity(ReadOnlySpan<byte> name) =>
        Transaction.Catalog.OpenTree(Schema.IdentitiesTree).TryGet(name, out var value) ? BinaryPrimitives.ReadInt64LittleEndian(value) : 0;

    public void SetIdentity(ReadOnlySpan<byte> name, long value)
    {
        Changes++;
        FaultPoint?.Invoke();
        var tree = Transaction.Catalog.OpenTree(Schema.IdentitiesTree);
        BinaryPrimitives.WriteInt64LittleEndian(tree.Reserve(name, sizeof(long), out _), value);
    }

    /// <summary>The name as part of an id or by itself, in any casing, ending in <c>|</c>. Throws
    /// <see cref="NumbersExhaustedException"/>.</summary>
    public long NextIdentity(ReadOnlySpan<byte> name)
    {
        Span<byte> lower = stackalloc byte[Ids.DocumentId.MaxLowerBytes];
        var key = lower[..Ids.DocumentId.WriteLower(name, lower)];
        long last = LastIdentity(key);
        if (last == long.MaxValue)
            throw new NumbersExhaustedException($"The identity '{ShownText.Of(Encoding.UTF8.GetString(key))}'", last);
        SetIdentity(key, last + 1);
        return last + 1;
    }

    /// <summary>
    /// The collections that the last completed transaction wrote to or deleted from. Valid until the next is completed: the merger
    /// completes none while the one before is on its way to the journal.
    /// </summary>
    public IReadOnlyList<CollectionChange> CompletedChanges => _changes;

    private void NoteChange(CollectionRow collection)
    {
        var kinds =
            (collection.LastDocumentEtag > _etagBefore ? ChangeKinds.Documents : ChangeKinds.None)
            | (
                collection.LastTombstoneEtag > _etagBefore && Planted != PlantedMergerFault.DeletionsWakeNobody
                    ? ChangeKinds.Deletions
                    : ChangeKinds.None
            );
        if (kinds != ChangeKinds.None)
            _changes.Add(new CollectionChange(collection.Id, collection.Name, kinds));
    }

    /// <summary>The collection's counters, about to be changed.</summary>
    private CollectionRow CollectionOf(uint id)
    {
        var collection = _lastCollection is { } last && last.Id == id ? last : _collectionsById[id];
        _changedCollections.Add(collection);
        return collection;
    }

    private void Remember(CollectionRow collection)
    {
        _collectionsByName.Add(collection.LowerName, collection);
        _collectionsById.Add(collection.Id, collection);
    }

    /// <summary>Drops what is known and reads all collections anew: there are few.</summary>
    private void ForgetCollections()
    {
        _collectionsByName.Clear();
        _collectionsById.Clear();
        _changedCollections.Clear();
        _lastCollection = null;
        _lastCollectionName = null;
        using var cursor = Transaction.Catalog.OpenTree(Schema.CollectionsTree).OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
            Remember(CollectionRow.Read(cursor.Key, cursor.Value));
    }

    private void WriteCollections()
    {
        _changes.Clear();
        if (_eventChanges != ChangeKinds.None)
            _changes.Add(new CollectionChange(CollectionNames.EventsId, s_events, _eventChanges));
        if (_changedCollections.Count == 0)
            return;
        var tree = Transaction.Catalog.OpenTree(Schema.CollectionsTree);
        foreach (var collection in _changedCollections)
        {
            collection.Write(tree.Reserve(collection.LowerName, collection.SizeBytes, out _));
            NoteChange(collection);
        }
        _changedCollections.Clear();
    }
}

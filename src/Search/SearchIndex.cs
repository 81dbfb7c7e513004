using System.Buffers.Binary;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Fields;
using Jackdaw.Search.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Search;

/// <summary>
/// An index in an environment of its own, which its owner has opened and hosts. Thread-safe; one batch is applied at a time. See
/// docs/search-format.md for the bytes.
/// </summary>
public sealed class SearchIndex
{
    private readonly ulong _seed;
    private readonly EndedReaders _endedReaders;

    private SearchIndex(StorageEnvironment storage, Guid instanceId, FieldDirectory fields)
    {
        Storage = storage;
        InstanceId = instanceId;
        Fields = fields;
        _endedReaders = new EndedReaders(storage);
        Span<byte> id = stackalloc byte[16];
        instanceId.TryWriteBytes(id);
        _seed = BinaryPrimitives.ReadUInt64LittleEndian(id) ^ BinaryPrimitives.ReadUInt64LittleEndian(id[8..]);
    }

    /// <summary>The environment.</summary>
    public StorageEnvironment Storage { get; }

    /// <summary>Made when the index was created.</summary>
    public Guid InstanceId { get; }

    internal FieldDirectory Fields { get; }

    /// <summary>
    /// Opens the index, or creates it in an empty environment: with one commit, which counts as any other. Errors:
    /// <see cref="SearchFormatException"/> for an index of another version or id, and for an environment that holds something else.
    /// </summary>
    /// <param name="storage">Open, and the caller's.</param>
    /// <param name="instanceId">Of a new index; an existing one must have this id.</param>
    public static SearchIndex Open(StorageEnvironment storage, Guid instanceId)
    {
        ArgumentNullException.ThrowIfNull(storage);
        // The newest commit, which readers of an environment that is durable with each commit may not see yet.
        using var transaction = storage.BeginWrite();
        bool isNew = !transaction.Catalog.Contains(StructureNames.Meta);
        if (isNew && transaction.Catalog.Entries().Any())
            throw new SearchFormatException($"The environment '{storage.Name}' holds something else than an index.");
        var meta = transaction.Catalog.OpenTree(StructureNames.Meta);
        if (isNew)
            IndexMeta.CreateIfMissing(meta, instanceId);
        var found = IndexMeta.ReadInstance(meta, storage.Name);
        if (found != instanceId)
            throw new SearchFormatException($"The index in '{storage.Name}' is {found}, not {instanceId}. Build the index again.");
        var index = new SearchIndex(storage, instanceId, new FieldDirectory(transaction));
        if (isNew)
            transaction.Commit();
        return index;
    }

    /// <summary>Begins collecting changes, in native memory.</summary>
    public EntryBatch BeginBatch() => new(Fields, InstanceId, _seed);

    /// <summary>Opens a reader at the newest commit. Cheap; ends with Dispose, within a second where it can.</summary>
    public SearchReader OpenRead(string purpose) => new(_endedReaders.Begin(purpose), _endedReaders);
}

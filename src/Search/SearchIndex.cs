using Jackdaw.Storage;

namespace Jackdaw.Search;

/// <summary>
/// An index in an environment of its own, which its owner has opened and hosts. Thread-safe; one batch is applied at a time. See
/// docs/search-format.md for the bytes.
/// </summary>
public sealed class SearchIndex
{
    private SearchIndex(StorageEnvironment storage, Guid instanceId)
    {
        Storage = storage;
        InstanceId = instanceId;
    }

    /// <summary>The environment.</summary>
    public StorageEnvironment Storage { get; }

    /// <summary>Made when the index was created.</summary>
    public Guid InstanceId { get; }

    /// <summary>Opens the index, or creates it in an empty environment. Errors: <see cref="SearchFormatException"/>.</summary>
    /// <param name="storage">Open, and the caller's.</param>
    /// <param name="instanceId">Of a new index; an existing one must have this id.</param>
    public static SearchIndex Open(StorageEnvironment storage, Guid instanceId) => throw new NotImplementedException();

    /// <summary>Begins collecting changes, in native memory.</summary>
    public Entries.EntryBatch BeginBatch() => throw new NotImplementedException();

    /// <summary>Opens a reader at the newest commit. Cheap; ends with Dispose, within a second where it can.</summary>
    public Reading.SearchReader OpenRead(string purpose) => throw new NotImplementedException();
}

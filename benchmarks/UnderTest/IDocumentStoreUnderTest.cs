namespace Jackdaw.Bench.UnderTest;

/// <summary>A database in this process: what the storage benchmarks need of the engine, and no more.</summary>
internal interface IDocumentStoreUnderTest : IAsyncDisposable
{
    /// <summary>Puts one document through the transaction merger; ends when it is durable. The bytes stay as they are until then.</summary>
    ValueTask PutAsync(string id, ReadOnlyMemory<byte> json);

    /// <summary>Puts documents in operations of many, for loading.</summary>
    Task PutManyAsync(IReadOnlyList<KeyValuePair<string, byte[]>> documents);

    /// <summary>Deletes documents in operations of many.</summary>
    Task DeleteManyAsync(IReadOnlyList<string> ids);

    /// <summary>Reads a document in a read transaction of its own.</summary>
    /// <returns>Its size in bytes, 0 when there is none.</returns>
    int Read(string id);

    /// <summary>Documents at the last durable transaction.</summary>
    long Count { get; }

    /// <summary>Counters since the store was opened.</summary>
    StoreCounters Counters();

    /// <summary>Waits until everything durable is flushed and synced, tombstones are cleaned, and nothing runs in the background.</summary>
    Task SettleAsync(CancellationToken cancel);
}

using System.Collections.Concurrent;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Reading;

/// <summary>
/// Read transactions of an index between two uses: one that is renewed keeps the structures that it has opened, a good part of what a query
/// of a few documents allocates. They last until the next garbage collection, so an index that nobody queries keeps none.
/// Thread-safe.
/// </summary>
internal sealed class EndedReaders(StorageEnvironment storage)
{
    /// <summary>More would only be used by as many queries at the same moment.</summary>
    public const int Most = 64;

    private readonly WeakReference<ConcurrentQueue<ReadTransaction>> _ended = new(new());

    /// <summary>Begins a transaction at the newest commit. Errors: those of <see cref="StorageEnvironment.BeginRead"/>.</summary>
    public ReadTransaction Begin(string purpose)
    {
        if (!_ended.TryGetTarget(out var ended) || !ended.TryDequeue(out var reader))
            return storage.BeginRead(purpose);
        reader.Renew(purpose);
        return reader;
    }

    /// <summary>Ends a transaction, which its owner no longer uses.</summary>
    public void End(ReadTransaction reader)
    {
        reader.Dispose();
        if (!_ended.TryGetTarget(out var ended))
            // Of two threads that make one, the later one's stays: what the other has put into its own is made again.
            _ended.SetTarget(ended = new ConcurrentQueue<ReadTransaction>());
        if (ended.Count < Most)
            ended.Enqueue(reader);
    }
}

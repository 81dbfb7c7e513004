using System.Collections.Concurrent;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Reading;

/// <summary>Read transactions between two uses: one that is renewed keeps what it has opened, which is most of what a small read
/// allocates.</summary>
internal sealed class ReaderPool(StorageEnvironment environment)
{
    private const int KeptReaders = 64;

    private readonly ConcurrentQueue<ReadTransaction> _ended = new();

    public ReadTransaction Begin(string purpose)
    {
        if (!_ended.TryDequeue(out var reader))
            return environment.BeginRead(purpose);
        reader.Renew(purpose);
        return reader;
    }

    public void End(ReadTransaction reader)
    {
        reader.Dispose();
        if (_ended.Count < KeptReaders)
            _ended.Enqueue(reader);
    }
}

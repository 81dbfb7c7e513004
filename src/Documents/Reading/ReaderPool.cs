using System.Collections.Concurrent;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Reading;

/// <summary>Read transactions between two uses: one that is renewed keeps what it has opened, which is most of what a small read
/// allocates.</summary>
internal sealed class ReaderPool : IKeptMemory, IDisposable
{
    /// <summary>Readers that are kept at most.</summary>
    public const int MaxReaders = 64;

    /// <summary>Counted for each reader: the tables and trees that it has opened, all of a database's if need be.</summary>
    public const int ReaderBytes = 16 << 10;

    private readonly StorageEnvironment _environment;
    private readonly ConcurrentQueue<ReadTransaction> _ended = new();
    private int _kept;
    private int _leastKept;

    public ReaderPool(StorageEnvironment environment)
    {
        _environment = environment;
        KeptMemory.Register(this);
    }

    /// <inheritdoc/>
    public string Owner => "readers";

    /// <inheritdoc/>
    public long KeptBytes => (long)Math.Max(0, Volatile.Read(ref _kept)) * ReaderBytes;

    /// <inheritdoc/>
    public long MaxKeptBytes => (long)MaxReaders * ReaderBytes;

    public ReadTransaction Begin(string purpose)
    {
        if (!TryTake(out var reader))
            return _environment.BeginRead(purpose);
        reader.Renew(purpose);
        return reader;
    }

    public void End(ReadTransaction reader)
    {
        reader.Dispose();
        // Counted first, so that threads that end readers at the same moment keep no more than the bound.
        if (Interlocked.Increment(ref _kept) > MaxReaders)
        {
            Interlocked.Decrement(ref _kept);
            return;
        }
        _ended.Enqueue(reader);
        KeptMemory.Keeps();
    }

    /// <inheritdoc/>
    public long Trim()
    {
        int unused = Volatile.Read(ref _leastKept);
        int freed = 0;
        while (freed < unused && TryTake(out _))
            freed++;
        Volatile.Write(ref _leastKept, Volatile.Read(ref _kept));
        return (long)freed * ReaderBytes;
    }

    /// <summary>The database is closed.</summary>
    public void Dispose() => KeptMemory.Unregister(this);

    private bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out ReadTransaction? reader)
    {
        if (!_ended.TryDequeue(out reader))
        {
            Volatile.Write(ref _leastKept, 0);
            return false;
        }
        int left = Interlocked.Decrement(ref _kept);
        // Of two threads the later one may write the higher number: a reader too many is trimmed, and made again when it is needed.
        if (left < Volatile.Read(ref _leastKept))
            Volatile.Write(ref _leastKept, left);
        return true;
    }
}

using System.Buffers.Binary;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Contents;
using Jackdaw.Search.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// An index at one moment, opened before the documents' reader. Of one thread; ends with Dispose, within the limit on readers.
/// </summary>
public sealed class IndexReading : IDisposable
{
    private readonly IndexFolder _folder;
    private readonly IIndexContentReader _reader;
    private readonly IndexProgress _progress;
    private readonly Action? _endUse;
    private bool _hasEnded;
    private (DocumentsReader? Documents, long Etag) _lastChange;

    /// <param name="index">The index.</param>
    /// <param name="folder">In use; the use ends with the reading.</param>
    /// <param name="purpose">Names the reader in statistics.</param>
    /// <param name="endUse">Ends the use; null: that of the folder's environment.</param>
    internal IndexReading(Index index, IndexFolder folder, string purpose, Action? endUse = null)
    {
        _endUse = endUse;
        Index = index;
        _folder = folder;
        do
        {
            // Of two roll backs the reader must not be of the later one: ids are handed out again.
            _reader?.Dispose();
            Generation = folder.Storage.Generation;
            _reader = folder.Content.OpenRead(purpose);
        } while (Generation != folder.Storage.Generation);
        try
        {
            _progress = folder.ProgressSeenBy(_reader, Generation);
        }
        catch
        {
            _reader.Dispose();
            throw;
        }
    }

    /// <summary>The index that is read.</summary>
    public Index Index { get; }

    /// <summary>Of the index as it was built: it is another one after a reset.</summary>
    public Guid InstanceId => _folder.InstanceId;

    /// <summary>What it holds.</summary>
    public SearchReader Search => _reader.Search;

    /// <summary>Entries that it holds.</summary>
    public long EntryCount => _reader.EntryCount;

    /// <summary>The highest etag of its collections that it has seen.</summary>
    public long Position => _progress.Position;

    /// <summary>When the last batch was committed, UTC ticks; 0: none yet.</summary>
    public long LastIndexedAt => _progress.AtTicks;

    internal IndexProgress Progress => _progress;

    /// <summary>How often commits of the environment were taken back when the reader was opened.</summary>
    internal int Generation { get; }

    /// <summary>Entries that the other reading has found are the same ones here.</summary>
    internal bool HasEntriesOf((IndexTrack Folder, int Generation) other) => (_folder, Generation) == other;

    /// <summary>Tells readings apart that have different entries.</summary>
    internal (IndexTrack Folder, int Generation) Entries => (_folder, Generation);

    /// <summary>Keeps the index's folder open, so that an answer can go on over it in another moment: also one that is closing, because
    /// its index was replaced, built again or deleted since this reading was opened.</summary>
    public IndexLease Keep()
    {
        Invariant.Require(!_hasEnded);
        _folder.Environment.UseAgain();
        return Index.Lease(_folder);
    }

    internal IIndexContentReader Content => _reader;

    /// <summary>Have the index's collections changes above <see cref="Position"/>, up to <paramref name="cutoffEtag"/> where
    /// one is given?</summary>
    /// <param name="documents">Opened after this reading; otherwise the answer could be wrongly fresh.</param>
    /// <param name="cutoffEtag">Changes above it do not count; null: all count.</param>
    public bool IsStale(DocumentsReader documents, long? cutoffEtag = null)
    {
        ArgumentNullException.ThrowIfNull(documents);
        return Position < (cutoffEtag ?? long.MaxValue) && LastChange(documents) > Position;
    }

    /// <summary>A number that changes whenever an answer could: made of the index's instance, <see cref="Position"/>, staleness and the
    /// collections' last etag. Never negative.</summary>
    public long ResultEtag(DocumentsReader documents)
    {
        ArgumentNullException.ThrowIfNull(documents);
        long last = LastChange(documents);
        Span<byte> instance = stackalloc byte[16];
        _folder.InstanceId.TryWriteBytes(instance);
        ulong hash = Mixed(BinaryPrimitives.ReadUInt64LittleEndian(instance) ^ BinaryPrimitives.ReadUInt64LittleEndian(instance[8..]));
        hash = Mixed(hash ^ (ulong)Position);
        hash = Mixed(hash ^ (ulong)last);
        return (long)(Mixed(hash ^ (last > Position ? 1UL : 0)) & long.MaxValue);
    }

    /// <summary>One answer asks twice.</summary>
    private long LastChange(DocumentsReader documents)
    {
        if (_lastChange.Documents != documents)
            _lastChange = (documents, Index.LastChange(documents));
        return _lastChange.Etag;
    }

    /// <summary>The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).</summary>
    private static ulong Mixed(ulong x)
    {
        x += 0x9E3779B97F4A7C15;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_hasEnded)
            return;
        _hasEnded = true;
        _reader.Dispose();
        if (_endUse is { } endUse)
            endUse();
        else
            _folder.Environment.EndUse();
    }
}

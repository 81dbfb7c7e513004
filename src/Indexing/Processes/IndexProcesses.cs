namespace Jackdaw.Indexing.Processes;

/// <summary>What the indexes of all databases of a server share: threads and memory. Ended when the last database is closed.</summary>
public sealed class IndexProcesses : IDisposable
{
    /// <summary>Creates it; no thread starts before an index has work.</summary>
    public IndexProcesses(IndexingOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Options = options;
        Turns = new IndexTurns(options.Threads, options.Clock);
        Memory = new IndexMemory(options.Memory);
    }

    /// <summary>How they run.</summary>
    public IndexingOptions Options { get; }

    /// <summary>Threads that there are now.</summary>
    public int Threads => Turns.Threads;

    /// <summary>Turns of indexes that have begun.</summary>
    public long TurnsBegun => Turns.Begun;

    /// <summary>Bytes of memory that batches have taken.</summary>
    public long BatchMemoryBytes => Memory.UsedBytes;

    internal IndexTurns Turns { get; }

    internal IndexMemory Memory { get; }

    /// <inheritdoc/>
    public void Dispose() => Turns.Dispose();
}

using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index of a database that is open. Thread-safe.</summary>
public sealed class Index
{
    internal Index() { }

    /// <summary>As queries name it: <c>Auto/Users/ByName</c>, <c>ReplacementOf/…</c> while it is built beside another one.</summary>
    public string Name => throw new NotImplementedException();

    /// <summary>Names its folder.</summary>
    public Guid InstanceId => throw new NotImplementedException();

    /// <summary>What it holds.</summary>
    public AutoIndexDefinition Definition => throw new NotImplementedException();

    /// <summary>Opens a reader at the newest commit. Errors: <c>IndexUnavailableException</c> while it is disabled, in error or gone.</summary>
    public IndexReading OpenRead(string purpose) => throw new NotImplementedException();

    /// <summary>
    /// Waits until the index has seen everything of its collections up to an etag. Returns false when time is up.
    /// </summary>
    public Task<bool> WaitForAsync(long etag, TimeSpan timeout, CancellationToken cancellation) => throw new NotImplementedException();
}

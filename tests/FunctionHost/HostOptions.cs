namespace Jackdaw.FunctionHost;

/// <summary>How a stand-in runs, beside what the app's own files and settings say.</summary>
public sealed record HostOptions
{
    /// <summary>
    /// How long a message of a storage queue is out of sight while its function runs; it is prolonged halfway. The real host's are ten
    /// minutes, and no setting changes them: that long a message waits whose host was killed.
    /// </summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>The pause between looks at a storage queue; null: growing ones up to host.json's <c>maxPollingInterval</c>, as in the real
    /// host. For measurements that are to be without the host's poll.</summary>
    public TimeSpan? Look { get; init; }

    /// <summary>A mistake that tests of tests plant.</summary>
    public HostMistake Mistake { get; init; }
}

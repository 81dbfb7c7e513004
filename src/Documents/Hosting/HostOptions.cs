using Jackdaw.Documents.Merging;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Hosting;

/// <summary>How a database is hosted.</summary>
internal sealed record HostOptions
{
    public required MergerOptions Merger { get; init; }

    public required EnvironmentOptions Storage { get; init; }

    public string NodeTag { get; init; } = "A";

    /// <summary>Time between two rounds of tombstone cleaning.</summary>
    public TimeSpan TombstoneCleaningInterval { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>A tombstone older than this is removed, whoever has not seen it.</summary>
    public TimeSpan MaxTombstoneAge { get; init; } = TimeSpan.FromDays(14);

    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Run the steps; null: threads of the host's own, which end with it.</summary>
    public StepThreads? Threads { get; init; }

    /// <summary>A test's chance to fail where the system can refuse a thread of the host's own.</summary>
    public Action<Thread> StartThread { get; init; } = static thread => thread.Start();
}

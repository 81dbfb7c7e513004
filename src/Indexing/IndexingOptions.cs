using Jackdaw.Indexing.Contents;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Indexing;

/// <summary>How the indexes of a server run.</summary>
public sealed record IndexingOptions
{
    /// <summary>What batches draw their memory from.</summary>
    public MemoryAllowance Memory { get; init; } = MemoryAllowance.Unlimited;

    /// <summary>Threads that run batches at most.</summary>
    public int Threads { get; init; } = Environment.ProcessorCount + 1;

    /// <summary>Automatic indexes that a database may have. Setting <c>Limits.MaxAutoIndexes</c>.</summary>
    public int MaxAutoIndexes { get; init; } = IndexingLimits.MaxAutoIndexes;

    /// <summary>An automatic index that nobody has queried for so long no longer follows the documents. Setting
    /// <c>Indexing.TimeToWaitBeforeMarkingAutoIndexAsIdleInMin</c>.</summary>
    public TimeSpan IdleAfter { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>An idle automatic index is deleted after so long. Setting
    /// <c>Indexing.TimeToWaitBeforeDeletingAutoIndexMarkedAsIdleInHrs</c>.</summary>
    public TimeSpan DeleteIdleAfter { get; init; } = TimeSpan.FromHours(72);

    /// <summary>Told, a sentence each, what an operator should look at: an index that is built again, stops or goes on. Must not
    /// throw.</summary>
    public Action<string>? Found { get; init; }

    /// <summary>Called between the steps of <see cref="Processes.IndexStep"/>: a crash test ends the process there.</summary>
    public Action<string>? StepReached { get; init; }

    /// <summary>How long a query that extends an automatic index waits for others.</summary>
    internal TimeSpan MergeDelay { get; init; } = IndexingLimits.MergeDelay;

    /// <summary>The clock.</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>A test's own content in place of the search engine's.</summary>
    internal Func<StorageEnvironment, Guid, IIndexContent> OpenContent { get; init; } = SearchContent.Open;

    /// <summary>A mistake for a test to find.</summary>
    internal PlantedIndexFault Planted { get; init; }
}

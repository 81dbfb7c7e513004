using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>How an environment below a database is opened.</summary>
public sealed record DatabaseEnvironmentOptions
{
    /// <summary>Off: where there is none, none is made, and opening fails.</summary>
    public bool MayCreate { get; init; } = true;

    /// <summary>
    /// Called by the thread that wrote the journal, after each write: <see cref="StorageEnvironment.DurableTransactionId"/> may have
    /// moved. Must be quick and must not throw.
    /// </summary>
    public Action? Journaled { get; init; }

    /// <summary>Called when an unexpected error has poisoned the environment (<see cref="StorageEnvironment.Poison"/>). Must
    /// not throw.</summary>
    public Action? Faulted { get; init; }
}

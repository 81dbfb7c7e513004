namespace Jackdaw.Bench.UnderTest;

/// <summary>How a store is opened; the defaults are those of the server.</summary>
internal sealed record StoreOptions
{
    /// <summary>False: each merged transaction waits for its journal write before the next begins.</summary>
    public bool AsynchronousCommit { get; init; } = true;

    /// <summary>False: nothing is flushed, so that the journal grows and recovery has to replay all of it.</summary>
    public bool Flush { get; init; } = true;

    /// <summary>Null: as the engine judges (when the disk time saved exceeds the time it takes).</summary>
    public bool? CompressedJournal { get; init; }

    /// <summary>Time between two rounds of tombstone cleaning.</summary>
    public TimeSpan TombstoneCleaningInterval { get; init; } = TimeSpan.FromMinutes(5);
}

using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>How a server's databases are opened.</summary>
public sealed record DatabasesOptions
{
    /// <summary>The folder that holds <c>System</c> and <c>Databases</c>; created when absent. Ignored when in memory.</summary>
    public required string DataDir { get; init; }

    /// <summary>Keep everything in memory: nothing survives the process.</summary>
    public bool RunInMemory { get; init; }

    /// <summary>The limits of every database.</summary>
    public Limits Limits { get; init; } = Limits.Default;

    /// <summary>One to four capital letters; baked into generated ids and change vectors.</summary>
    public string NodeTag { get; init; } = "A";

    /// <summary>Time between two rounds of tombstone cleaning. Setting <c>Tombstones.CleanupIntervalInSec</c>.</summary>
    public TimeSpan TombstoneCleaningInterval { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>A tombstone older than this is removed, whoever has not seen it, and what was missed is noted. Setting
    /// <c>Tombstones.MaxAgeInDays</c>.</summary>
    public TimeSpan MaxTombstoneAge { get; init; } = TimeSpan.FromDays(14);

    /// <summary>How each database's environment is opened (its name and host are filled in).</summary>
    public EnvironmentOptions Storage { get; init; } = new();

    /// <summary>What other projects keep in the databases: <c>check</c> and <c>compact</c> do their part.</summary>
    public IReadOnlyList<Room> Rooms { get; init; } = [];

    /// <summary>Called with each database that was opened, before anyone else has it: for what works on it in the background
    /// (<see cref="Database.Attach"/>). What it throws makes this one a database that could not be opened.</summary>
    public Action<Database>? Opened { get; init; }

    /// <summary><see cref="Databases.Open"/> returns when the catalogue is read, and the databases are opened meanwhile:
    /// <see cref="Databases.AllOpened"/> says when.</summary>
    public bool OpensInBackground { get; init; }

    /// <summary>Off, for benchmarks only: a transaction is then begun only when the one before it is durable.</summary>
    internal bool AsynchronousCommit { get; init; } = true;

    /// <summary>What time it is for the documents, the merger and the tombstones. (The storage has its own:
    /// <see cref="EnvironmentOptions.Time"/>.)</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>A test's own folder; null for the one that the other options name.</summary>
    internal IDataFolder? Folder { get; init; }

    /// <summary>A test's chance to stop the creation or deletion of a database, or a new history, between two steps, as a crash
    /// would.</summary>
    internal Action<string>? StepReached { get; init; }
}

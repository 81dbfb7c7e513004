namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>Every limit of the Changes API; errors name them. Fixed (no settings).</summary>
internal sealed record ChangesLimits
{
    /// <summary>The limits as shipped.</summary>
    public static ChangesLimits Default { get; } = new();

    /// <summary>Bytes of the name of an index that is watched.</summary>
    public const int MaxIndexNameBytes = 2048;

    /// <summary>Bytes of one command: two ids of the greatest length, each byte escaped, and room.</summary>
    public int MaxCommandBytes { get; init; } = 16 << 10;

    /// <summary>What one socket may watch.</summary>
    public int MaxWatchesPerSocket { get; init; } = 4096;

    /// <summary>What all sockets of a database may watch together.</summary>
    public int MaxWatchesPerDatabase { get; init; } = 262_144;

    /// <summary>Sockets of one database.</summary>
    public int MaxSocketsPerDatabase { get; init; } = 16_384;

    /// <summary>Notifications that wait for one client.</summary>
    public int MaxQueuedNotifications { get; init; } = 32_768;

    /// <summary>Bytes of notifications that wait for one client.</summary>
    public int MaxQueuedBytes { get; init; } = 4 << 20;

    /// <summary>Of those, bytes that each client may have waiting whatever waits for others.</summary>
    public int OwnQueuedBytes { get; init; } = 8 << 10;

    /// <summary>Bytes of notifications that wait for all clients of the server, beyond <see cref="OwnQueuedBytes"/> of each.
    /// One that several
    /// wait for counts once for each.</summary>
    public long MaxQueuedBytesOfAll { get; init; } = 64 << 20;

    /// <summary>Answers to commands that wait for one client; no further command is read meanwhile.</summary>
    public int MaxQueuedAnswers { get; init; } = 64;

    /// <summary>Bytes of notifications that are sent in one frame, but for a single one that is longer. A client that does not
    /// read holds one such
    /// frame: with its header it fits a buffer of 8 KB.</summary>
    public int FrameBytes { get; init; } = 7_900;

    /// <summary>The time between two pings.</summary>
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Heartbeats without a sign of the client after which it is cut.</summary>
    public int MaxSilentHeartbeats { get; init; } = 4;

    /// <summary>Heartbeats that a message may take to arrive whole.</summary>
    public int MaxIncompleteHeartbeats { get; init; } = 2;

    /// <summary>How long a client has to answer a close frame.</summary>
    public TimeSpan ClosingTime { get; init; } = TimeSpan.FromSeconds(2);
}

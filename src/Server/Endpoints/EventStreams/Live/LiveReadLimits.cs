namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>Every limit of live reads; errors name them. Fixed (no settings).</summary>
internal sealed record LiveReadLimits
{
    /// <summary>The limits as shipped.</summary>
    public static LiveReadLimits Default { get; } = new();

    /// <summary>Live readers of one database.</summary>
    public int MaxReadersPerDatabase { get; init; } = 16_384;

    /// <summary>Streams and tags that one reader follows, together.</summary>
    public int MaxNamesPerReader { get; init; } = 256;

    /// <summary>Positions of new events that are kept for a reader while its client does not read. A reader that misses more has
    /// fallen behind, and finds what it missed on disk.</summary>
    public int MaxKeptPositions { get; init; } = 256;

    /// <summary>Bytes that a reader gathers before it sends them, but for a single event that is longer.</summary>
    public int PieceBytes { get; init; } = 64 << 10;

    /// <summary>The share of the processors that live readers take while others write.</summary>
    public double ShareBesideWrites { get; init; } = 0.125;

    /// <summary>What live readers save up of that share while they have nothing to do.</summary>
    public TimeSpan SavedBesideWrites { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>The longest rest between the turns of two readers.</summary>
    public static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest time between two lines to a client that reads.</summary>
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How often the server looks for readers whose heartbeat is due.</summary>
    public TimeSpan Beat { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a client may leave a piece unread before its connection is cut.</summary>
    public TimeSpan MaxBlockedTime { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>How long a client has to take the last line when the server ends its read.</summary>
    public TimeSpan ClosingTime { get; init; } = TimeSpan.FromSeconds(2);
}

namespace Jackdaw.Etl.Kafka;

/// <summary>How long things may take. The native client's calls block and cannot be cancelled, so they are made in slices.</summary>
internal sealed record KafkaTimes
{
    /// <summary>Of one blocking call: so long a cancellation may wait. Fixed.</summary>
    public static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(200);

    /// <summary>Of aborting what is given up anyway. Fixed.</summary>
    public static readonly TimeSpan Abort = TimeSpan.FromSeconds(2);

    /// <summary>As shipped.</summary>
    public static KafkaTimes Default { get; } = new();

    /// <summary>After this the broker aborts a transaction that nobody ended.</summary>
    public TimeSpan Transaction { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Of opening, of asking for topics, of reading positions: each.</summary>
    public TimeSpan Opening { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>A batch's messages are with the broker within it, or the batch is given up: two thirds are left for the commit.</summary>
    public TimeSpan Batch => Transaction / 3;
}

namespace Jackdaw.Etl;

/// <summary>A task at one moment. Counts are since the task was started.</summary>
/// <param name="Id">The task's.</param>
/// <param name="Name">The task's.</param>
/// <param name="State">What it is doing.</param>
/// <param name="Reason">Why it waits or has stopped; null otherwise.</param>
/// <param name="Transforms">In the order of the configuration.</param>
/// <param name="Messages">Confirmed.</param>
/// <param name="Bytes">Of data confirmed.</param>
/// <param name="Batches">Settled, with at least one message or dead letter.</param>
/// <param name="Retries">Attempts at a delivery after a fault.</param>
/// <param name="DeadLetters">Written.</param>
public sealed record EtlTaskStatus(
    long Id,
    string Name,
    EtlTaskState State,
    string? Reason,
    IReadOnlyList<TransformStatus> Transforms,
    long Messages,
    long Bytes,
    long Batches,
    long Retries,
    long DeadLetters
)
{
    /// <summary>When the sink is tried again; null unless the task waits for it.</summary>
    public DateTimeOffset? NextTry { get; init; }
}

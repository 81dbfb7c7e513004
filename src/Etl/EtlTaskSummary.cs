namespace Jackdaw.Etl;

/// <summary>What a task is doing, without how far it is: nothing is read for it.</summary>
/// <param name="Id">The task's.</param>
/// <param name="Name">The task's.</param>
/// <param name="State">What it is doing.</param>
/// <param name="Reason">Why it waits or has stopped; null otherwise.</param>
/// <param name="Since">When it came into the state.</param>
public sealed record EtlTaskSummary(long Id, string Name, EtlTaskState State, string? Reason, DateTimeOffset Since)
{
    /// <summary>When the sink is tried again; null unless the task waits for it.</summary>
    public DateTimeOffset? NextTry { get; init; }

    /// <summary>The task has stopped because it cannot know where to go on: an operator must set its position.</summary>
    public bool NeedsPosition { get; init; }
}

namespace Jackdaw.Etl;

/// <summary>What a task is doing, without how far it is: nothing is read for it.</summary>
/// <param name="Id">The task's.</param>
/// <param name="Name">The task's.</param>
/// <param name="State">What it is doing.</param>
/// <param name="Reason">Why it waits or has stopped; null otherwise.</param>
/// <param name="Since">When it came into the state.</param>
public sealed record EtlTaskSummary(long Id, string Name, EtlTaskState State, string? Reason, DateTimeOffset Since);

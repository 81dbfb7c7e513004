namespace Jackdaw.Etl;

/// <summary>What a task is doing; see docs/etl.md, "States of a task".</summary>
public enum EtlTaskState
{
    /// <summary>Reading, transforming or delivering.</summary>
    Running,

    /// <summary>Everything is settled.</summary>
    Idle,

    /// <summary>A fault of the sink is waited out.</summary>
    Waiting,

    /// <summary>By a person, until resumed or restarted.</summary>
    Paused,

    /// <summary>By a fault of the task.</summary>
    Stopped,

    /// <summary>By an unexpected error.</summary>
    Faulted,

    /// <summary>By configuration.</summary>
    Disabled,

    /// <summary>The database was closed, or the task removed.</summary>
    Closed,
}

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

    /// <summary>Another server has taken the task over, until a person resumes it here.</summary>
    Fenced,

    /// <summary>By an unexpected error.</summary>
    Faulted,

    /// <summary>By configuration.</summary>
    Disabled,

    /// <summary>The database was closed, or the task removed.</summary>
    Closed,
}

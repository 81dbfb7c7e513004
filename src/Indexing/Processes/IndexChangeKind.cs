namespace Jackdaw.Indexing.Processes;

/// <summary>What can happen to an index.</summary>
public enum IndexChangeKind
{
    /// <summary>It is new.</summary>
    Added,

    /// <summary>It is gone.</summary>
    Removed,

    /// <summary>A batch of it was committed; queries see it.</summary>
    BatchCompleted,

    /// <summary>It has taken the place of those that it replaces.</summary>
    Swapped,

    /// <summary>It was emptied, and is being built again.</summary>
    Rebuilt,

    /// <summary>It was enabled, disabled, paused, resumed, put in error, or marked as idle.</summary>
    StateChanged,

    /// <summary>Its priority was changed.</summary>
    PriorityChanged,

    /// <summary>Its lock mode was changed.</summary>
    LockModeChanged,
}

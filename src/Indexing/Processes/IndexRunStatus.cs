namespace Jackdaw.Indexing.Processes;

/// <summary>Whether an index follows the documents at this moment, as the protocol names it.</summary>
public enum IndexRunStatus
{
    /// <summary>It follows the documents.</summary>
    Running,

    /// <summary>An operator has stopped it until it is started again or the process ends.</summary>
    Paused,

    /// <summary>It is disabled or in error.</summary>
    Disabled,

    /// <summary>It waits, because its disk is full or something else keeps it from going on; its errors say what.</summary>
    Pending,
}

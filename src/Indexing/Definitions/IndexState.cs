namespace Jackdaw.Indexing.Definitions;

/// <summary>Whether an index runs, as the protocol names it.</summary>
public enum IndexState
{
    /// <summary>It runs, or is paused until the process ends.</summary>
    Normal,

    /// <summary>An operator has switched it off; queries of it are refused.</summary>
    Disabled,

    /// <summary>It has stopped because too many documents failed, or because of an error that it cannot get over.</summary>
    Error,

    /// <summary>An automatic index that nobody has queried for a while: it is kept, but does not follow the documents.</summary>
    Idle,
}

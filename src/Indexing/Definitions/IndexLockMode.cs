namespace Jackdaw.Indexing.Definitions;

/// <summary>What happens to a definition that would change a locked index.</summary>
public enum IndexLockMode
{
    /// <summary>It changes the index.</summary>
    Unlock,

    /// <summary>It is ignored without an error.</summary>
    LockedIgnore,

    /// <summary>It is refused.</summary>
    LockedError,
}

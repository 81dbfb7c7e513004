namespace Jackdaw.Indexing.Definitions;

/// <summary>What happens to a definition that would change a locked index: of an automatic one to a query that needs more fields.</summary>
public enum IndexLockMode
{
    /// <summary>It changes the index.</summary>
    Unlock,

    /// <summary>It is ignored without an error: the index stays as it is, and the query gets an index of its own.</summary>
    LockedIgnore,

    /// <summary>It is refused, and with it the query.</summary>
    LockedError,
}

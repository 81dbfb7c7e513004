namespace Jackdaw.Simulation;

/// <summary>What a history is of.</summary>
internal enum HistoryKind
{
    /// <summary>Of a storage environment: pages and structures, changed by one writer.</summary>
    Storage,

    /// <summary>Of a storage environment whose commits are lazily durable.</summary>
    Lazy,

    /// <summary>Of a database: operations of many callers, merged.</summary>
    Merger,

    /// <summary>Of a database with an index that follows its documents.</summary>
    Index,

    /// <summary>Of a database whose indexes come, replace each other and go.</summary>
    Registry,
}

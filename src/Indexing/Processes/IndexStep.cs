namespace Jackdaw.Indexing.Processes;

/// <summary>Steps between which a crash matters: docs/indexing.md, "The registry".</summary>
public static class IndexStep
{
    /// <summary>The record of a new index is durable; it has no folder yet.</summary>
    public const string Recorded = "index/recorded";

    /// <summary>The index that is built beside has caught up; it is about to be made durable.</summary>
    public const string CaughtUp = "index/caught-up";

    /// <summary>It is durable; the records are about to change.</summary>
    public const string Durable = "index/durable";

    /// <summary>The records name only the new one; the old folder is still there.</summary>
    public const string Swapped = "index/swapped";

    /// <summary>The old folder is gone.</summary>
    public const string Deleted = "index/deleted";

    /// <summary>All of them.</summary>
    public static IReadOnlyList<string> All { get; } = [Recorded, CaughtUp, Durable, Swapped, Deleted];
}

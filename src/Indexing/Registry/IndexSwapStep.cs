namespace Jackdaw.Indexing.Registry;

/// <summary>What a swap does, one step after another. A crash may come between any two.</summary>
internal enum IndexSwapStep
{
    /// <summary>Everything that the new index holds becomes durable.</summary>
    MakeDurable,

    /// <summary>A mistake for a test to find: the folders of those that it replaces are deleted while their records are there.</summary>
    DeleteFolders,

    /// <summary>One operation: the records name only the new index.</summary>
    ChangeRecords,

    /// <summary>Those that it replaces end, and their folders are deleted.</summary>
    DropReplaced,
}

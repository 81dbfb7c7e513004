namespace Jackdaw.Indexing;

/// <summary>Mistakes that tests plant, to see that they find them.</summary>
internal enum PlantedIndexFault
{
    None,

    /// <summary>Deletions are passed over.</summary>
    SkipDeletions,

    /// <summary>A batch that ends early claims to have seen everything.</summary>
    ClaimEnd,

    /// <summary>The position that holds tombstones back is the visible one, not the durable one.</summary>
    HoldVisiblePosition,

    /// <summary>A batch's position is committed before its entries.</summary>
    PositionBeforeEntries,

    /// <summary>After a roll back the index goes on from where it was before.</summary>
    ForgetRollBack,

    /// <summary>What a reader of one commit has read serves readers of another commit that has its number after a roll back.</summary>
    KeepProgressOverRollBack,

    /// <summary>What a document that fails had before stays.</summary>
    KeepFailed,

    /// <summary>A swap deletes the old folder before its record says so.</summary>
    DeleteBeforeSwap,

    /// <summary>A swap changes the records before the new index is durable.</summary>
    SwapBeforeDurable,

    /// <summary>Folders that belong to no index stay.</summary>
    KeepOrphans,

    /// <summary>Events that are deleted by now are mapped.</summary>
    MapDeletedEvents,
}

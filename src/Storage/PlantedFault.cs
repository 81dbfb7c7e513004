namespace Jackdaw.Storage;

/// <summary>
/// Mistakes that the engine can be told to make, so that the simulator can be shown to find them. Never set but by its tests.
/// Each is one branch
/// at the place that it spoils.
/// </summary>
internal enum PlantedFault
{
    None,

    /// <summary>Commits are answered and published before their journal write.</summary>
    AcknowledgeBeforeDurable,

    /// <summary>A flush pass takes the newest committed state for its horizon, durable or not.</summary>
    FlushBeforeDurable,

    /// <summary>Journal files are recycled when one header is past them.</summary>
    RecycleAfterOneHeader,

    /// <summary>New journal files are used before their names are durable.</summary>
    SkipDirectorySync,

    /// <summary>Differences are laid over pages by exclusive or.</summary>
    XorDifferences,

    /// <summary>Recovery does not write pages that the file seems to hold already.</summary>
    SkipEqualReplay,

    /// <summary>Scratch slots are given back while readers may still look at them.</summary>
    EarlyScratchReuse,

    /// <summary>A sync names what is flushed when fdatasync ends, not when it begins.</summary>
    HorizonAfterSync,

    /// <summary>A record's checksum is not looked at.</summary>
    MissingChecksumCheck,

    /// <summary>A page from which entries were deleted does not get into the journal.</summary>
    LostTombstone,

    /// <summary>A transaction given up leaves one of its pages behind.</summary>
    UndoLeavesEntry,

    /// <summary>A short journal write is resumed at the next block instead of the last whole one.</summary>
    MisalignedResume,

    /// <summary>The lowest branches of a tree that keeps counts are not brought up to date at the end of a batch.</summary>
    StaleCount,

    /// <summary>An entry that comes is not added to the count of its leaf.</summary>
    ForgottenCount,

    /// <summary>A value that comes is not added to the sum of its leaf.</summary>
    ForgottenSum,

    /// <summary>An entry that goes leaves the pages of its embedded structures behind.</summary>
    LeakedChild,

    /// <summary>A compaction copies values without the structures embedded in them.</summary>
    ForgottenChild,
}

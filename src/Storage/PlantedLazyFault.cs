namespace Jackdaw.Storage;

/// <summary>
/// Mistakes that a lazily durable environment can be told to make, as <see cref="PlantedFault"/> says. They are found by the histories of
/// such environments.
/// </summary>
internal enum PlantedLazyFault
{
    None,

    /// <summary>Recovery applies the records of a group one by one, although the group may not be complete.</summary>
    ApplyPartOfGroup,

    /// <summary>Waiting for durability ends when the write begins.</summary>
    AnswerBeforeDurable,

    /// <summary>The pages of the last journaled state are given back as soon as newer ones are there.</summary>
    DropJournaledState,

    /// <summary>The pages that only readers see are given back under them.</summary>
    DropReaderState,

    /// <summary>A roll back leaves a page as the rolled back transactions had it.</summary>
    RollBackLeavesPage,

    /// <summary>After a failed write the journal goes on in the same file, at the same place.</summary>
    GoOnInAbandonedFile,

    /// <summary>The differences of a page are taken to a state that was never journaled.</summary>
    DifferencesToUnjournaledState,
}

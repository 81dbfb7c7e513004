namespace Jackdaw.Documents.EventStreams;

/// <summary>What an append does with a group.</summary>
internal enum PlannedGroupKind
{
    /// <summary>Nothing: it is refused.</summary>
    Refused,

    /// <summary>It is stored.</summary>
    New,

    /// <summary>Nothing: it repeats what is stored.</summary>
    RepeatsStored,

    /// <summary>Nothing: it repeats what this append stores.</summary>
    RepeatsNew,
}

namespace Jackdaw.Documents;

/// <summary>
/// Mistakes that the merger can be told to make, so that the simulator can be shown to find them. Never set but by its tests.
/// Each is one branch at the place
/// that it spoils.
/// </summary>
internal enum PlantedMergerFault
{
    None,

    /// <summary>Callers are answered when their commit begins.</summary>
    AnswerBeforeDurable,

    /// <summary>A refusal that needs nothing undone is answered at once, though what it saw is not durable.</summary>
    RefusalAnsweredAtOnce,

    /// <summary>A refusal stays as it was when the disk takes back the changes that it was computed from.</summary>
    RefusalOutlivesFullDisk,

    /// <summary>When a transaction is executed again, its first operation is forgotten.</summary>
    LostWhenExecutedAgain,

    /// <summary>A commit that does not come about leaves its operations behind as if they were on their way to the journal.</summary>
    UnansweredCommit,

    /// <summary>The counters of a dropped transaction stay, so that etags have gaps.</summary>
    CountersOutliveDrop,

    /// <summary>A put removes the tombstones of its id in all collections.</summary>
    PutRemovesEveryTombstone,

    /// <summary>Tombstones are removed whoever has not seen them.</summary>
    CleaningForgetsConsumers,

    /// <summary>Nobody is woken for deletions.</summary>
    DeletionsWakeNobody,

    /// <summary>An operation that met a damaged page is executed again.</summary>
    DamageMergedAgain,

    /// <summary>The others of a transaction in which an operation met a damaged page are not executed again, and answered as if
    /// they were.</summary>
    NeighboursLostToDamage,

    /// <summary>Damage of a page that every transaction needs is told to one operation, and does not poison.</summary>
    SharedDamageSpared,

    /// <summary>An append that repeats stored events is judged as if they were others.</summary>
    RepeatedEventsRefused,

    /// <summary>A replaced writer appends as if it were the current one.</summary>
    ReplacedWriterLetIn,

    /// <summary>Events are stored without the entries of their tags.</summary>
    TagEntryForgotten,

    /// <summary>Deleting all events of a stream lets its numbers begin anew.</summary>
    DeletionLowersHighest,

    /// <summary>No digest is kept of events whose rows are removed.</summary>
    RemovedEventsForgotten,

    /// <summary>The cleaning removes the chunks of uploads that are under way.</summary>
    UploadSweptAway,

    /// <summary>A large content that is replaced leaves no record.</summary>
    ReplacedContentForgotten,

    /// <summary>A replaced content is removed although a download reads it.</summary>
    HeldContentRemoved,

    /// <summary>A snapshot becomes visible, and its upload still counts as under way.</summary>
    LeftoverRecordStays,

    /// <summary>Documents expire a minute before their date.</summary>
    ExpiresEarly,

    /// <summary>A document that is written again keeps the date that it had.</summary>
    FormerDateStays,

    /// <summary>A document that is refreshed keeps the date of its refresh in its metadata.</summary>
    RefreshKeepsDate,

    /// <summary>The date of a refresh is not removed with a deleted document.</summary>
    DateOutlivesDocument,

    /// <summary>A document gets an earlier date than all others, and nobody is told.</summary>
    DateWakesNobody,

    /// <summary>A caller runs a turn of the merger while another turn is under way.</summary>
    TurnBesideTurn,

    /// <summary>A caller who runs a turn has the answer when the commit begins.</summary>
    CallerAnsweredEarly,
}

namespace Jackdaw.Documents.Merging;

/// <summary>What a step of the merger came to.</summary>
internal enum MergerStep
{
    /// <summary>Nothing waits: the next step is worth running when an operation has been queued.</summary>
    Idle,

    /// <summary>A transaction is open and waits for the journal write before it: the next step is worth running when that has
    /// ended or an operation has been queued.</summary>
    WaitsForJournal,

    /// <summary>A transaction was committed and is on its way to the journal.</summary>
    Committed,

    /// <summary>A transaction ended without a commit (nothing was changed, or all was refused).</summary>
    Ended,
}

namespace Jackdaw.Documents.Merging;

/// <summary>What a merger has done since it was made.</summary>
/// <param name="Transactions">Transactions committed.</param>
/// <param name="Operations">Operations executed and kept.</param>
/// <param name="Refusals">Operations answered with a declared error.</param>
/// <param name="Reexecutions">Times that a transaction was dropped and executed again without an offender.</param>
/// <param name="WaitingOperations">Operations queued or executed and not yet answered.</param>
/// <param name="WaitingBytes">What they count.</param>
internal readonly record struct MergerStatistics(
    long Transactions,
    long Operations,
    long Refusals,
    long Reexecutions,
    long WaitingOperations,
    long WaitingBytes
);

namespace Jackdaw.Etl;

/// <summary>What a script made of one change.</summary>
/// <param name="DocumentId">Of the change.</param>
/// <param name="ChangeVector">Of the change.</param>
/// <param name="IsDeletion">It was deleted.</param>
/// <param name="Failure">Why the script failed; null when it did not.</param>
/// <param name="Messages">Each a structured CloudEvent, JSON in UTF-8, with its target as an extension.</param>
public sealed record TrialResult(
    string DocumentId,
    string ChangeVector,
    bool IsDeletion,
    string? Failure,
    IReadOnlyList<ReadOnlyMemory<byte>> Messages
);

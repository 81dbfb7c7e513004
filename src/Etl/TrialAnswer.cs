namespace Jackdaw.Etl;

/// <summary>What a trial of a script shows.</summary>
/// <param name="Results">In the order of changes; fewer than were asked for when the trial takes two seconds, or
/// <see cref="Notice"/> says why.</param>
/// <param name="Notice">A sentence on what is left out because the messages are too large together; null when nothing is.</param>
public sealed record TrialAnswer(IReadOnlyList<TrialResult> Results, string? Notice);

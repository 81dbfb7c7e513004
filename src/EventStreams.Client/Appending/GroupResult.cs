namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>What became of one group.</summary>
/// <param name="Outcome">Whether it is stored.</param>
/// <param name="Highest">The stream's highest number after the append.</param>
/// <param name="LastPosition">The position of the group's last event; 0 when it is not stored, or deleted and removed since.</param>
public readonly record struct GroupResult(AppendOutcome Outcome, long Highest, long LastPosition);

namespace Jackdaw.Etl.DeadLetters;

/// <summary>What became of a retry, in one task.</summary>
/// <param name="TaskId">The task.</param>
/// <param name="TaskName">Its name.</param>
/// <param name="Settled">Dead letters that are no more: confirmed by the sink, or the script sends nothing of the document any
/// more.</param>
/// <param name="Superseded">Dead letters marked so: see <see cref="DeadLetterState.Superseded"/>.</param>
/// <param name="Failed">Dead letters that stay, with a new reason.</param>
/// <param name="IsDone">Nothing is left to be done.</param>
/// <param name="Reason">Why it was not done or broke off; null when it was done or goes on.</param>
public sealed record RetryOutcome(long TaskId, string TaskName, long Settled, long Superseded, long Failed, bool IsDone, string? Reason);

namespace Jackdaw.Indexing.Processes;

/// <summary>Something of an index that an operator should know.</summary>
/// <param name="AtTicks">When: UTC ticks.</param>
/// <param name="Index">The index's name.</param>
/// <param name="Message">What happened, and what follows, in words.</param>
public sealed record IndexFinding(long AtTicks, string Index, string Message);

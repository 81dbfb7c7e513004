namespace Jackdaw.Simulation.Merging;

/// <summary>How the model says that an operation is refused.</summary>
/// <param name="Type">The declared error.</param>
/// <param name="Seen">What of the database the error tells: the change vector or the collection that stood in the way; null for
/// nothing.</param>
internal sealed record ExpectedRefusal(Type Type, string? Seen);

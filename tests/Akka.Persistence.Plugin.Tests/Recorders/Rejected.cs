namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Says that an event was rejected.</summary>
internal sealed record Rejected(long Number, string Why);

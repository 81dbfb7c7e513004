namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Asks a <see cref="Recorder"/> to delete its events up to a number.</summary>
internal sealed record DeleteTo(long Number);

namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Asks a <see cref="Recorder"/> to store texts all or none.</summary>
internal sealed record WriteTogether(IReadOnlyList<string> Texts);

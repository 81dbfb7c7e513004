namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>What a <see cref="Recorder"/> holds, and its last sequence number.</summary>
internal sealed record Texts(long Number, IReadOnlyList<string> All);

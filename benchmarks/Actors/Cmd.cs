namespace Jackdaw.Bench.Actors;

/// <summary>A command that becomes an event as it is: what JournalPerfSpec persists.</summary>
/// <param name="Mode">How it is persisted.</param>
/// <param name="Payload">Its number, from 1.</param>
public sealed record Cmd(string Mode, int Payload);

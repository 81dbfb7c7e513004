namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Asks a <see cref="Recorder"/> for what it holds.</summary>
internal sealed record GetTexts;

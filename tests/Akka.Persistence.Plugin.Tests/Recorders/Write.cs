namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Asks a <see cref="Recorder"/> to store a text.</summary>
internal sealed record Write(string Text);

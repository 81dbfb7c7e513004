namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Says that a text is stored.</summary>
internal sealed record Written(long Number, string Text);

namespace Jackdaw.Server.Configuration;

/// <summary>One setting: its name (dotted), its default as text, and a sentence for <c>--help</c> that states the unit.</summary>
internal sealed record Setting(string Name, string? Default, string Explanation);

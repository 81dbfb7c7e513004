namespace Jackdaw.Functions.CustomHandler.DeadLetters;

/// <summary>Where a message is that was too large for a dead letter in a queue.</summary>
/// <param name="Container">Of the account of claim checks.</param>
/// <param name="Blob">Its name.</param>
internal sealed record OversizeLetter(string Container, string Blob);

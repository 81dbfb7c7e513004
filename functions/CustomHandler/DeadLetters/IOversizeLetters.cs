namespace Jackdaw.Functions.CustomHandler.DeadLetters;

/// <summary>Keeps messages that are too large for a dead letter in a queue.</summary>
internal interface IOversizeLetters
{
    /// <summary>Keeps a message durably, and returns its name: the same for the same bytes. Any exception makes the message wait.</summary>
    Task<OversizeLetter> KeepAsync(ReadOnlyMemory<byte> body, CancellationToken cancel);
}

namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>A message that could not be handled.</summary>
/// <param name="Consumer">Who could not, with its version: <c>order-summaries/1</c>.</param>
/// <param name="Reason">A sentence for the operator.</param>
/// <param name="Body">The message, byte by byte: sending it again is all that a retry takes.</param>
public sealed record DeadLetter(string Consumer, string Reason, ReadOnlyMemory<byte> Body);

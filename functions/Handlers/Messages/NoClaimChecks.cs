namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>For queues whose tasks write no claim checks: a message with one is a fault of the message.</summary>
public sealed class NoClaimChecks : IClaimChecks
{
    /// <inheritdoc/>
    public Task<ReadOnlyMemory<byte>> FetchAsync(Uri dataRef, CancellationToken cancel) =>
        throw new MessageFaultException($"Its data is at {dataRef}, and this handler fetches no claim checks.");
}

using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Tests;

/// <summary>Blobs of which one is there, one is gone, and which cannot be reached for a while.</summary>
internal sealed class ClaimCheckStore(string json, int failures) : IClaimChecks
{
    private int _failures = failures;

    public Task<ReadOnlyMemory<byte>> FetchAsync(Uri dataRef, CancellationToken cancel)
    {
        if (Interlocked.Decrement(ref _failures) >= 0)
            throw new IOException("The storage account is away.");
        return dataRef.AbsolutePath == "/there"
            ? Task.FromResult<ReadOnlyMemory<byte>>(System.Text.Encoding.UTF8.GetBytes(json))
            : throw new MessageFaultException($"The blob {dataRef} is gone.");
    }
}

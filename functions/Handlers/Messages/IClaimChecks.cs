namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>Fetches data that was too large for a message.</summary>
public interface IClaimChecks
{
    /// <summary>
    /// Returns the data, one JSON value in UTF-8. The blob must stay: the message may come again. Throws
    /// <see cref="MessageFaultException"/> when the blob is gone or the address is not one that this process may read, and any other
    /// exception when the storage cannot be reached: then the message waits.
    /// </summary>
    /// <param name="dataRef">The attribute <c>dataref</c> of the message.</param>
    /// <param name="cancel">Ends the fetch.</param>
    Task<ReadOnlyMemory<byte>> FetchAsync(Uri dataRef, CancellationToken cancel);
}

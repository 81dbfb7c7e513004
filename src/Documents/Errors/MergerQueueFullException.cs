namespace Jackdaw.Documents.Errors;

/// <summary>More bytes of writes wait than a database takes; thrown at the door, before anything was done. Worth a 503 with
/// Retry-After.</summary>
public sealed class MergerQueueFullException : Exception
{
    /// <summary>Creates the error for a database, with the bytes that wait and their limit.</summary>
    public MergerQueueFullException(string database, long waitingBytes, long limitBytes)
        : base(
            $"Database '{database}' has {waitingBytes:N0} bytes of writes waiting, at its limit of {limitBytes:N0}; try again in a moment, "
                + "or raise the setting Limits.MaxMergerQueueSizeInMb."
        )
    {
        WaitingBytes = waitingBytes;
        LimitBytes = limitBytes;
    }

    private MergerQueueFullException(string message, long limitBytes)
        : base(message) => WaitingBytes = LimitBytes = limitBytes;

    /// <summary>The queue has room, and the server's memory allowance does not.</summary>
    /// <param name="allowanceBytes">The allowance of the whole server.</param>
    internal static MergerQueueFullException OfServer(long allowanceBytes) =>
        new(
            $"The databases of this server have taken the {allowanceBytes:N0} bytes of memory that they may take together; "
                + "try again in a moment, or raise the setting Limits.MemoryAllowanceInMb.",
            allowanceBytes
        );

    /// <summary>Bytes of the writes that wait.</summary>
    public long WaitingBytes { get; }

    /// <summary>The limit, in bytes.</summary>
    public long LimitBytes { get; }
}

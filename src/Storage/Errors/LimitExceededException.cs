namespace Jackdaw.Storage.Errors;

/// <summary>Something is larger than a stated limit. Names what, its size, the limit and the setting that raises it.</summary>
public sealed class LimitExceededException : StorageException
{
    /// <summary>Creates the error: what is too large, its size, the limit, and the setting that raises it.</summary>
    public LimitExceededException(string what, long size, long limit, string setting)
        : base($"{what} is {size:N0}, over the limit of {limit:N0} ({setting}).")
    {
        Size = size;
        Limit = limit;
    }

    /// <summary>The size that was refused, in the unit of the message.</summary>
    public long Size { get; }

    /// <summary>The limit, in the same unit.</summary>
    public long Limit { get; }
}

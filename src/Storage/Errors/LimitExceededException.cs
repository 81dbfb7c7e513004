namespace Jackdaw.Storage.Errors;

/// <summary>Something is larger than a stated limit. Names what, its size, the limit and the setting that raises it.</summary>
public sealed class LimitExceededException : StorageException
{
    public LimitExceededException(string what, long size, long limit, string setting)
        : base($"{what} is {size:N0}, over the limit of {limit:N0} ({setting}).")
    {
        Size = size;
        Limit = limit;
    }

    public long Size { get; }

    public long Limit { get; }
}

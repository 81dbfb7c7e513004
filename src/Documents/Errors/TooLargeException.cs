namespace Jackdaw.Documents.Errors;

/// <summary>Something sent is larger than its limit. Says what, its size, the limit and the setting that raises it.</summary>
public sealed class TooLargeException : OperationException
{
    /// <summary>Creates the error: what is too large, its size, the limit, and the setting that raises it
    /// (null when the limit is fixed).</summary>
    public TooLargeException(string what, long size, long limit, string? setting)
        : base(
            setting is null
                ? $"{what} is {size:N0}, over the limit of {limit:N0} (fixed)."
                : $"{what} is {size:N0}, over the limit of {limit:N0}; the setting {setting} raises it."
        )
    {
        Size = size;
        Limit = limit;
        Setting = setting;
    }

    /// <summary>The size of what was refused, in the unit of the message.</summary>
    public long Size { get; }

    /// <summary>The limit, in the same unit.</summary>
    public long Limit { get; }

    /// <summary>Null when the limit is fixed.</summary>
    public string? Setting { get; }
}

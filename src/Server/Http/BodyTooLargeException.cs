namespace Jackdaw.Server.Http;

/// <summary>A request body is over the limit; answered with 413.</summary>
public sealed class BodyTooLargeException : Exception
{
    /// <summary>Creates the error: the size of the body where it is known, the limit, and the setting that raises it.</summary>
    public BodyTooLargeException(long? sizeBytes, long limitBytes, string setting)
        : base(
            $"The request body {(sizeBytes is { } size ? $"of {size:N0} bytes " : "")}is "
                + $"over the limit of {limitBytes:N0} bytes ({setting})."
        ) { }
}

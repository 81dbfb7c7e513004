namespace Jackdaw.Server.Http;

/// <summary>A request body is over the limit; answered with 413.</summary>
public sealed class BodyTooLargeException : Exception
{
    public BodyTooLargeException(long? sizeBytes, long limitBytes, string setting)
        : base(
            $"The request body {(sizeBytes is { } size ? $"of {size:N0} bytes " : "")}is "
                + $"over the limit of {limitBytes:N0} bytes ({setting})."
        ) { }
}

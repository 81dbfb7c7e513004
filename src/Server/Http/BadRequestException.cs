namespace Jackdaw.Server.Http;

/// <summary>The request cannot be understood; answered with 400. The message says which part, and what was expected.</summary>
public sealed class BadRequestException : Exception
{
    public BadRequestException(string message)
        : base(message) { }

    public BadRequestException(string message, Exception cause)
        : base(message, cause) { }
}

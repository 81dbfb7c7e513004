namespace Jackdaw.Server.Http;

/// <summary>The request cannot be understood; answered with 400. The message says which part, and what was expected.</summary>
public sealed class BadRequestException : Exception
{
    /// <summary>Creates the error; the message names the place and the rule.</summary>
    public BadRequestException(string message)
        : base(message) { }

    /// <summary>Creates the error; the message names the place and the rule.</summary>
    public BadRequestException(string message, Exception cause)
        : base(message, cause) { }
}

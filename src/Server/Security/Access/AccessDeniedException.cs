namespace Jackdaw.Server.Security;

/// <summary>The client may not enter; answered with 403.</summary>
public sealed class AccessDeniedException : Exception
{
    /// <summary>Creates the error; the message says what is missing.</summary>
    public AccessDeniedException(string message)
        : base(message) { }
}

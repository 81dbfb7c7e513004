namespace Jackdaw.Server.Http;

/// <summary>The client may not enter; answered with 403.</summary>
public sealed class AccessDeniedException : Exception
{
    public AccessDeniedException(string message)
        : base(message) { }
}

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>A server cannot do now what it is asked for: the message waits, and is tried again.</summary>
public sealed class InfrastructureException : Exception
{
    /// <summary>Creates the error with a sentence that names the server and what it said.</summary>
    public InfrastructureException(string message, Exception? inner = null)
        : base(message, inner) { }

    /// <summary>A server has refused what it was asked for, rather than being unable to answer.</summary>
    internal bool IsOfRequest { get; init; }
}

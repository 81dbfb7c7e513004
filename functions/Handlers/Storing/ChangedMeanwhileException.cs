namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>Another handler has stored something between the read and the batch that depends on it: read again.</summary>
public sealed class ChangedMeanwhileException : Exception
{
    /// <summary>Creates the error with the server's words.</summary>
    public ChangedMeanwhileException(string message)
        : base(message) { }
}

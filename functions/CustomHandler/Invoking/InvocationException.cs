namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>What the host sent is no invocation of a function: nothing of it is handled, and the host tries again or gives up.</summary>
internal sealed class InvocationException : Exception
{
    /// <summary>Creates the error with a sentence that says what is wrong.</summary>
    public InvocationException(string message, Exception? inner = null)
        : base(message, inner) { }
}

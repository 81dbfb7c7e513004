namespace Jackdaw.Scripting.Errors;

/// <summary>Thrown by a function of the host to throw an Error with this message inside the script, which may catch it.</summary>
public sealed class ScriptCallbackException : Exception
{
    /// <summary>Creates the error that a host function throws into the script.</summary>
    public ScriptCallbackException(string message, Exception? inner = null)
        : base(message, inner) { }
}

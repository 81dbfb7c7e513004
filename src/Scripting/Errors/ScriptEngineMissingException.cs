namespace Jackdaw.Scripting.Errors;

/// <summary>JavaScriptCore is not installed on this machine; the message names the package.</summary>
public sealed class ScriptEngineMissingException : ScriptException
{
    /// <summary>Creates the error; the message names the package to install.</summary>
    public ScriptEngineMissingException(string message)
        : base(message) { }
}

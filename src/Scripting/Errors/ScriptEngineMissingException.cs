namespace Jackdaw.Scripting.Errors;

/// <summary>JavaScriptCore is not installed on this machine; the message names the package.</summary>
public sealed class ScriptEngineMissingException : ScriptException
{
    public ScriptEngineMissingException(string message)
        : base(message) { }
}

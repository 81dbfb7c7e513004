namespace Jackdaw.Scripting.Errors;

/// <summary>The script was ended, or its result refused, because of a limit, which the message names.</summary>
public sealed class ScriptLimitException : ScriptException
{
    /// <summary>Creates the error; the message names the limit.</summary>
    public ScriptLimitException(string message)
        : base(message) { }
}

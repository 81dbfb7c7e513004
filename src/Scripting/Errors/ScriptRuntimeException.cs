namespace Jackdaw.Scripting.Errors;

/// <summary>The script threw and did not catch. Recursion that is too deep and texts that are too long are RangeErrors of this
/// kind.</summary>
public sealed class ScriptRuntimeException : ScriptException
{
    /// <summary>Creates the error from what the script threw.</summary>
    public ScriptRuntimeException(string reason, int? line, int? column, string stack)
        : base(At(reason, line, column), line, column)
    {
        Reason = reason;
        ScriptStack = stack;
    }

    /// <summary>The message without the place.</summary>
    public string Reason { get; }

    /// <summary>The frames of the author's text, innermost first, a line each; empty when unknown.</summary>
    public string ScriptStack { get; }
}

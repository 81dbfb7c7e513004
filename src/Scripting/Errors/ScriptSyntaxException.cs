namespace Jackdaw.Scripting.Errors;

/// <summary>The text is no script, is too long, or uses what scripts may not (asynchronous functions, imports).</summary>
public sealed class ScriptSyntaxException : ScriptException
{
    /// <summary>Creates the error from what the parser reported.</summary>
    public ScriptSyntaxException(string reason, int? line, int? column)
        : base(At(reason, line, column), line, column) => Reason = reason;

    /// <summary>The message without the place.</summary>
    public string Reason { get; }
}

namespace Jackdaw.Scripting.Errors;

/// <summary>A script could not be compiled or run. The message is meant for its author.</summary>
public abstract class ScriptException : Exception
{
    /// <summary>Creates the error, with its place in the author's text where it is known (from 1).</summary>
    protected ScriptException(string message, int? line = null, int? column = null, Exception? inner = null)
        : base(message, inner)
    {
        Line = line;
        Column = column;
    }

    /// <summary>Line of the author's text, from 1; null when there is no such place (a thrown value that is no Error, a limit).</summary>
    public int? Line { get; }

    /// <summary>Column of the author's text, from 1; null likewise. The engine points at, or just behind, the offending
    /// expression.</summary>
    public int? Column { get; }

    private protected static string At(string message, int? line, int? column) =>
        (line, column) switch
        {
            (null, _) => message,
            (_, null) => $"{message} (line {line})",
            _ => $"{message} (line {line}, column {column})",
        };
}

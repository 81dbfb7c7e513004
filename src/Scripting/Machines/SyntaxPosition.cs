using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Source;

namespace Jackdaw.Scripting.Machines;

/// <summary>
/// Finds the place of a syntax error. The engine names the line only; the column is found by parsing ever longer beginnings of
/// that line: the first that fails for
/// another reason than that the text ends there ends at the culprit.
/// </summary>
internal static class SyntaxPosition
{
    private const int MaxTriedColumns = 500;
    private const int MaxTriedSource = 32 << 10;

    public static ScriptSyntaxException Error(ScriptRealm realm, Script script, string message)
    {
        var source = script.Source;
        if (realm.Check(Wrap(source)) is not { } error)
            return new ScriptSyntaxException(message, null, null);
        int line = Math.Clamp(error.Line - ScriptFrames.LinesBefore, 1, source.AsSpan().Count('\n') + 1);
        return new ScriptSyntaxException(message, line, Column(realm, source, line));
    }

    /// <summary>Never called, so never run; and never whole, when cut short.</summary>
    private static string Wrap(string source) => $"(function(){{\"use strict\";\n{source}\n}})";

    private static string Open(string source) => $"(function(){{\"use strict\";\n{source}";

    private static int? Column(ScriptRealm realm, string source, int line)
    {
        int start = 0;
        for (int i = 1; i < line; i++)
            start = source.IndexOf('\n', start) + 1;
        int end = source.IndexOf('\n', start);
        if (end < 0)
            end = source.Length;
        if (source.Length > MaxTriedSource)
            return null;
        for (int at = start + 1; at <= Math.Min(end, start + MaxTriedColumns); at++)
        {
            if (at < source.Length && char.IsLowSurrogate(source[at]))
                continue;
            if (realm.Check(Open(source[..at])) is { } error && !IsCutShort(error.Message))
                return at - start;
        }
        return null;
    }

    /// <summary>The engine's words for a text that ends too early.</summary>
    private static bool IsCutShort(string message) =>
        message.Contains("end of script", StringComparison.Ordinal)
        || message.Contains("EOF", StringComparison.Ordinal)
        || message.Contains("Unterminated", StringComparison.OrdinalIgnoreCase)
        || message.Contains("missing terminating", StringComparison.OrdinalIgnoreCase)
        || message.Contains("Unexpected end", StringComparison.Ordinal);
}

using System.Globalization;
using System.Text;

namespace Jackdaw.Scripting.Source;

/// <summary>The frames of the author's text in a stack trace of the engine, whose lines are <c>name@url:line:column</c>.</summary>
internal readonly record struct ScriptFrames(int? Line, int? Column, string Text)
{
    /// <summary>Names the author's text to the engine, and so in stack traces.</summary>
    public const string Url = "script.js";

    /// <summary>Lines that we put before the author's first.</summary>
    public const int LinesBefore = 1;

    private const int ShownFrames = 20;

    /// <summary>A script can set the stack of its errors to anything: what does not look like a place in the author's text is
    /// left out.</summary>
    public static ScriptFrames Of(string stack, RewrittenSource source)
    {
        int? firstLine = null;
        int? firstColumn = null;
        var text = new StringBuilder();
        int shown = 0;
        foreach (var frame in stack.AsSpan().EnumerateLines())
        {
            int url = frame.LastIndexOf(Url);
            if (url < 0 || !TryParse(frame[(url + Url.Length)..], out int line, out int column) || line <= LinesBefore)
                continue;
            line -= LinesBefore;
            column = source.Column(line, column);
            firstLine ??= line;
            firstColumn ??= column;
            if (++shown > ShownFrames)
                break;
            int at = frame.IndexOf('@');
            var name = at > 0 ? frame[..at] : "(script)";
            text.Append(CultureInfo.InvariantCulture, $"{(text.Length > 0 ? "\n" : "")}at {name} ({line}:{column})");
        }
        return new ScriptFrames(firstLine, firstColumn, text.ToString());
    }

    /// <summary>The text is <c>:line:column</c>.</summary>
    private static bool TryParse(ReadOnlySpan<char> text, out int line, out int column)
    {
        line = column = 0;
        if (text.IsEmpty || text[0] != ':')
            return false;
        int second = text[1..].IndexOf(':') + 1;
        return second > 0
            && int.TryParse(text[1..second], NumberStyles.None, CultureInfo.InvariantCulture, out line)
            && int.TryParse(text[(second + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out column);
    }
}

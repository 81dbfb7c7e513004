namespace Jackdaw.Scripting.Source;

/// <summary>A script's text as it is compiled.</summary>
/// <param name="Text">It has the lines of the author's text.</param>
/// <param name="Insertions">What it has more than the author's text, in the order of their places.</param>
internal sealed record RewrittenSource(string Text, Insertion[] Insertions)
{
    /// <summary>Returns the column in the author's text.</summary>
    /// <param name="line">From 1.</param>
    /// <param name="column">In <see cref="Text"/>, from 1.</param>
    public int Column(int line, int column)
    {
        int more = 0;
        foreach (var insertion in Insertions)
        {
            if (insertion.Line > line || (insertion.Line == line && insertion.Column + more >= column))
                break;
            if (insertion.Line == line)
                more += Math.Min(insertion.Length, column - 1 - insertion.Column - more);
        }
        return column - more;
    }
}

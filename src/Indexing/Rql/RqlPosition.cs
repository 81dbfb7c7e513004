namespace Jackdaw.Indexing.Rql;

/// <summary>A place in the text of a query.</summary>
/// <param name="Line">The line, counted from 1; <c>\n</c>, <c>\r\n</c> and <c>\r</c> each end one.</param>
/// <param name="Column">The column, counted from 1, in UTF-16 units; a tab is one column.</param>
public readonly record struct RqlPosition(int Line, int Column)
{
    /// <summary>The position in words: <c>line 1, column 17</c>.</summary>
    public override string ToString() => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"line {Line}, column {Column}");
}

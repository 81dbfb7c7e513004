namespace Jackdaw.Indexing.Rql;

/// <summary>The text of a query, with what turns an offset into a position and an excerpt. Line starts are found on first need.</summary>
internal sealed class RqlText(string query)
{
    /// <summary>The longest part of a line that an error message shows.</summary>
    private const int ExcerptWidth = 120;

    private const int LongestTokenShown = 40;

    private static readonly int[] s_oneLine = [0];

    private int[]? _lineStarts;

    public string Query { get; } = query;

    public RqlPosition PositionOf(int offset)
    {
        var line = LineOf(offset);
        return new RqlPosition(line + 1, offset - LineStarts[line] + 1);
    }

    public int OffsetOf(RqlPosition position) => LineStarts[position.Line - 1] + position.Column - 1;

    public RqlSyntaxException Unexpected(RqlToken found, string expected) => Unexpected(found.Start, Describe(found), expected);

    public RqlSyntaxException Unexpected(int offset, string found, string expected) =>
        new(PositionOf(offset), found, expected, Excerpt(offset));

    public string Describe(RqlToken token)
    {
        if (token.Kind == RqlTokenKind.End)
            return "the end of the query";

        var length = token.End - token.Start;
        return length <= LongestTokenShown
            ? $"'{Query.AsSpan(token.Start, length)}'"
            : $"'{Query.AsSpan(token.Start, LongestTokenShown)}...'";
    }

    /// <summary>The line of <paramref name="offset"/>, cut to a window when long, and below it a caret under the offset.</summary>
    public string Excerpt(int offset)
    {
        var start = LineStarts[LineOf(offset)];
        var end = start;
        while (end < Query.Length && Query[end] is not ('\n' or '\r'))
            end++;

        if (end - start > ExcerptWidth)
        {
            start = Math.Max(start, Math.Min(offset - ExcerptWidth / 2, end - ExcerptWidth));
            end = Math.Min(end, start + ExcerptWidth);
        }

        // Tabs stay tabs above the caret, so that it stands under the place however wide the reader's tabs are.
        var margin = Query[start..Math.Max(start, Math.Min(offset, end))].Select(c => c == '\t' ? '\t' : ' ');
        return $"{Query.AsSpan(start, end - start)}\n{string.Concat(margin)}^";
    }

    private int[] LineStarts => _lineStarts ??= FindLineStarts(Query);

    private int LineOf(int offset)
    {
        var found = Array.BinarySearch(LineStarts, offset);
        return found >= 0 ? found : ~found - 1;
    }

    private static int[] FindLineStarts(string query)
    {
        if (query.AsSpan().IndexOfAny('\n', '\r') < 0)
            return s_oneLine;
        var starts = new List<int> { 0 };
        for (var i = 0; i < query.Length; i++)
        {
            if (query[i] == '\n' || (query[i] == '\r' && (i + 1 == query.Length || query[i + 1] != '\n')))
                starts.Add(i + 1);
        }

        return [.. starts];
    }
}

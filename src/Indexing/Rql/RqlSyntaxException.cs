namespace Jackdaw.Indexing.Rql;

/// <summary>
/// The text of a query is not RQL. The message says what was expected and what was found, and shows the line with a caret under
/// the place.
/// </summary>
public class RqlSyntaxException : QueryException
{
    internal RqlSyntaxException(RqlPosition position, string token, string expected, string excerpt)
        : this($"{Capitalised(position)}: expected {expected}, found {token}.\n{excerpt}", position, token, expected) { }

    private protected RqlSyntaxException(string message, RqlPosition position, string token, string expected)
        : base(message, position)
    {
        Token = token;
        Expected = expected;
    }

    /// <summary>The line of the offending token, counted from 1.</summary>
    public int Line => Position.Line;

    /// <summary>The column of the offending token, counted from 1, in UTF-16 units.</summary>
    public int Column => Position.Column;

    /// <summary>The offending token as it stands in the text (cut short when long), quoted, or <c>the end of the query</c>.</summary>
    public string Token { get; }

    /// <summary>What would have been accepted in its place, in words.</summary>
    public string Expected { get; }

    private protected static string Capitalised(RqlPosition position) => "L" + position.ToString()[1..];
}

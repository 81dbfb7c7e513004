using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Rql;

/// <summary>
/// Cuts the text into tokens. It has no state but the text, so that the parser can look ahead, and step over a script, by offset.
/// Blanks and comments (<c>// …</c> to the end of the line, <c>/* … */</c>) belong to no token.
/// </summary>
internal sealed class RqlLexer(RqlText text)
{
    private readonly string _query = text.Query;

    /// <summary>The first token at or after <paramref name="offset"/>.</summary>
    public RqlToken Read(int offset)
    {
        var start = SkipBlanks(offset);
        if (start == _query.Length)
            return new RqlToken(RqlTokenKind.End, start, start);

        var first = _query[start];
        if (first is '\'' or '"')
            return ReadString(start);
        if (char.IsAsciiDigit(first) || (first == '-' && char.IsAsciiDigit(At(start + 1))))
            return ReadNumber(start);
        if (first == '$')
            return ReadParameter(start);
        if (StartsIdentifier(first))
            return new RqlToken(RqlTokenKind.Identifier, start, EndOfIdentifier(start));

        return ReadPunctuation(start);
    }

    /// <summary>What a string token says, its quotes taken off and its escapes resolved.</summary>
    /// <remarks>A doubled quote is a quote. A backslash before anything but the known letters stands for itself: patterns such as
    /// <c>'\d+'</c> keep theirs.</remarks>
    public string ValueOf(RqlToken token)
    {
        Invariant.Require(token.Kind == RqlTokenKind.String);
        var quote = _query[token.Start];
        var inner = _query.AsSpan(token.Start + 1, token.End - token.Start - 2);
        if (inner.IndexOfAny('\\', quote) < 0)
            return inner.ToString();

        var value = new StringBuilder(inner.Length);
        for (var i = 0; i < inner.Length; i++)
        {
            if (inner[i] == '\\' && i + 1 < inner.Length)
                i += AppendEscape(value, inner[(i + 1)..]);
            else
            {
                value.Append(inner[i]);
                if (inner[i] == quote)
                    i++;
            }
        }

        return value.ToString();
    }

    public static bool IsIdentifier(ReadOnlySpan<char> name) =>
        name.Length > 0 && StartsIdentifier(name[0]) && EndOfIdentifier(name, 0) == name.Length;

    /// <summary>Appends what follows a backslash; returns how many characters that were.</summary>
    private static int AppendEscape(StringBuilder value, ReadOnlySpan<char> rest)
    {
        switch (rest[0])
        {
            case '\'' or '"' or '\\':
                value.Append(rest[0]);
                return 1;
            case 'n':
                value.Append('\n');
                return 1;
            case 'r':
                value.Append('\r');
                return 1;
            case 't':
                value.Append('\t');
                return 1;
            case 'u' when rest.Length >= 5 && IsHex(rest[1..5]):
                value.Append(
                    (char)
                        int.Parse(
                            rest[1..5],
                            System.Globalization.NumberStyles.AllowHexSpecifier,
                            System.Globalization.CultureInfo.InvariantCulture
                        )
                );
                return 5;
            default:
                value.Append('\\').Append(rest[0]);
                return 1;
        }
    }

    private static bool IsHex(ReadOnlySpan<char> digits)
    {
        foreach (var digit in digits)
        {
            if (!char.IsAsciiHexDigit(digit))
                return false;
        }

        return true;
    }

    private static bool StartsIdentifier(char c) => char.IsLetter(c) || c is '_' or '@';

    /// <summary>Clients write names such as <c>first-name</c> and <c>user@home</c> without quotes. RQL subtracts nothing.</summary>
    private static int EndOfIdentifier(ReadOnlySpan<char> text, int start)
    {
        var end = start + 1;
        while (end < text.Length && (char.IsLetterOrDigit(text[end]) || text[end] is '_' or '-' or '@'))
            end++;
        return end;
    }

    private int EndOfIdentifier(int start) => EndOfIdentifier(_query, start);

    private char At(int offset) => offset < _query.Length ? _query[offset] : '\0';

    private int SkipBlanks(int offset)
    {
        while (offset < _query.Length)
        {
            if (char.IsWhiteSpace(_query[offset]))
                offset++;
            else if (_query[offset] == '/' && At(offset + 1) == '/')
            {
                while (offset < _query.Length && _query[offset] is not ('\n' or '\r'))
                    offset++;
            }
            else if (_query[offset] == '/' && At(offset + 1) == '*')
            {
                var close = _query.IndexOf("*/", offset + 2, StringComparison.Ordinal);
                if (close < 0)
                    throw text.Unexpected(offset, "a comment without its end", "'*/' after this '/*'");
                offset = close + 2;
            }
            else
                break;
        }

        return offset;
    }

    private RqlToken ReadString(int start)
    {
        var quote = _query[start];
        for (var i = start + 1; i < _query.Length; i++)
        {
            if (_query[i] == '\\')
                i++;
            else if (_query[i] == quote)
            {
                if (At(i + 1) != quote)
                    return new RqlToken(RqlTokenKind.String, start, i + 1);
                i++;
            }
        }

        throw text.Unexpected(start, "a string without its end", $"a closing {quote} after this one");
    }

    private RqlToken ReadNumber(int start)
    {
        var end = SkipDigits(start + 1);
        if (At(end) == '.' && char.IsAsciiDigit(At(end + 1)))
            end = SkipDigits(end + 1);

        if (At(end) is 'e' or 'E')
        {
            var digits = At(end + 1) is '+' or '-' ? end + 2 : end + 1;
            if (char.IsAsciiDigit(At(digits)))
                end = SkipDigits(digits);
        }

        var token = new RqlToken(RqlTokenKind.Number, start, end);
        if (StartsIdentifier(At(end)))
            throw text.Unexpected(
                start,
                text.Describe(token with { End = EndOfIdentifier(end) }),
                "a number, or quotes around a name that begins with a digit"
            );
        return token;
    }

    private int SkipDigits(int offset)
    {
        while (char.IsAsciiDigit(At(offset)))
            offset++;
        return offset;
    }

    private RqlToken ReadParameter(int start)
    {
        var end = start + 1;
        while (char.IsLetterOrDigit(At(end)) || At(end) == '_')
            end++;
        if (end == start + 1)
            throw text.Unexpected(start, "'$' alone", "a parameter's name after '$'");
        return new RqlToken(RqlTokenKind.Parameter, start, end);
    }

    private RqlToken ReadPunctuation(int start)
    {
        var next = At(start + 1);
        var (kind, length) = _query[start] switch
        {
            ',' => (RqlTokenKind.Comma, 1),
            '.' => (RqlTokenKind.Dot, 1),
            '*' => (RqlTokenKind.Star, 1),
            '(' => (RqlTokenKind.LeftParenthesis, 1),
            ')' => (RqlTokenKind.RightParenthesis, 1),
            '[' => (RqlTokenKind.LeftBracket, 1),
            ']' => (RqlTokenKind.RightBracket, 1),
            '{' => (RqlTokenKind.LeftBrace, 1),
            '}' => (RqlTokenKind.RightBrace, 1),
            '=' when next == '=' => (RqlTokenKind.Equal, 2),
            '=' => (RqlTokenKind.Equal, 1),
            '!' when next == '=' => (RqlTokenKind.NotEqual, 2),
            '<' when next == '>' => (RqlTokenKind.NotEqual, 2),
            '<' when next == '=' => (RqlTokenKind.LessOrEqual, 2),
            '<' => (RqlTokenKind.Less, 1),
            '>' when next == '=' => (RqlTokenKind.GreaterOrEqual, 2),
            '>' => (RqlTokenKind.Greater, 1),
            _ => throw text.Unexpected(start, DescribeCharacter(start), "a word, a value or an operator"),
        };
        return new RqlToken(kind, start, start + length);
    }

    private string DescribeCharacter(int offset)
    {
        if (Rune.TryGetRuneAt(_query, offset, out var rune) && !Rune.IsControl(rune))
            return $"'{rune}'";
        return $"the character U+{(int)_query[offset]:X4}";
    }
}

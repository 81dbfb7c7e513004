namespace Jackdaw.Indexing.Rql;

/// <summary>
/// Finds the end of a piece of JavaScript inside a query by its brackets. Brackets in strings, template literals, comments and
/// regular expressions do not count; nothing else of the language is checked.
/// </summary>
/// <remarks>
/// Whether a slash divides or begins a regular expression depends on what came before it: after an operand it divides. After a
/// closing brace this is undecidable without a parser; there the scanner tries a regular expression, and where none ends on the
/// line takes the slash as division.
/// </remarks>
internal sealed class JavaScriptScanner(RqlText text)
{
    private static readonly HashSet<string> _wordsBeforeOperand = new(StringComparer.Ordinal)
    {
        "return",
        "typeof",
        "instanceof",
        "in",
        "of",
        "new",
        "delete",
        "void",
        "throw",
        "case",
        "do",
        "else",
        "yield",
        "await",
    };

    private static readonly HashSet<string> _wordsBeforeCondition = new(StringComparer.Ordinal) { "if", "while", "for", "with" };

    private readonly string _query = text.Query;

    /// <summary>The brackets that are open. Kept here and not on the call stack, which nesting must not exhaust.</summary>
    private readonly Stack<Bracket> _open = new();

    private int _at;

    private bool _afterOperand;

    private bool _afterConditionWord;

    /// <summary>
    /// The end of a line on which one slash was found to begin no regular expression: no later one of the line is tried, or a
    /// line of slashes would take time by the square of its length.
    /// </summary>
    private int _noRegularExpressionBefore;

    /// <summary>The offset just after the bracket that closes the one at <paramref name="start"/>.</summary>
    /// <exception cref="RqlSyntaxException">A bracket, string, comment or template literal has no end, or brackets cross.</exception>
    public int FindEnd(int start)
    {
        _open.Clear();
        _at = start;
        _afterOperand = false;
        _afterConditionWord = false;
        _noRegularExpressionBefore = 0;
        do
        {
            if (_at == _query.Length)
                throw NeverClosed(_open.Peek());
            if (_open.Count > 0 && _open.Peek().Kind == '`')
                ScanTemplateText();
            else
                ScanToken();
        } while (_open.Count > 0);

        return _at;
    }

    private char Next => _at + 1 < _query.Length ? _query[_at + 1] : '\0';

    private void ScanTemplateText()
    {
        switch (_query[_at])
        {
            case '\\':
                _at = Math.Min(_at + 2, _query.Length);
                break;
            case '`':
                _open.Pop();
                _at++;
                _afterOperand = true;
                break;
            case '$' when Next == '{':
                _at++;
                Open();
                break;
            default:
                _at++;
                break;
        }
    }

    private void ScanToken()
    {
        var c = _query[_at];
        if (char.IsWhiteSpace(c))
            _at++;
        else if (c == '/')
            ScanSlash();
        else if (c is '\'' or '"')
            ScanString();
        else if (c is '(' or '[' or '{' or '`')
            Open();
        else if (c is ')' or ']' or '}')
            Close();
        else if (IsWordCharacter(c))
            ScanWord();
        else if (c is '+' or '-' && Next == c)
            _at += 2; // i++ and ++i leave the next slash what it would be without them.
        else
        {
            _at++;
            _afterOperand = false;
        }
    }

    private void ScanSlash()
    {
        if (Next == '/')
        {
            while (_at < _query.Length && _query[_at] is not ('\n' or '\r'))
                _at++;
        }
        else if (Next == '*')
        {
            var close = _query.IndexOf("*/", _at + 2, StringComparison.Ordinal);
            if (close < 0)
                throw text.Unexpected(_at, "a comment without its end", "'*/' after this '/*'");
            _at = close + 2;
        }
        else if (!_afterOperand && EndOfRegularExpression() is { } end)
        {
            _at = end;
            _afterOperand = true;
        }
        else
        {
            _at++;
            _afterOperand = false;
        }
    }

    private int? EndOfRegularExpression()
    {
        if (_at < _noRegularExpressionBefore)
            return null;

        var inClass = false;
        var i = _at + 1;
        for (; i < _query.Length && _query[i] is not ('\n' or '\r'); i++)
        {
            switch (_query[i])
            {
                case '\\':
                    i++;
                    break;
                case '[':
                    inClass = true;
                    break;
                case ']':
                    inClass = false;
                    break;
                case '/' when !inClass:
                    return i + 1;
            }
        }

        _noRegularExpressionBefore = i;
        return null;
    }

    private void ScanString()
    {
        var quote = _query[_at];
        for (var i = _at + 1; i < _query.Length && _query[i] is not ('\n' or '\r'); i++)
        {
            if (_query[i] == '\\')
            {
                // An escaped line end continues the string; \r\n is one.
                i += i + 2 < _query.Length && _query[i + 1] == '\r' && _query[i + 2] == '\n' ? 2 : 1;
            }
            else if (_query[i] == quote)
            {
                _at = i + 1;
                _afterOperand = true;
                return;
            }
        }

        throw text.Unexpected(_at, "a string without its end", $"a closing {quote} on the same line");
    }

    private void ScanWord()
    {
        var start = _at;
        while (_at < _query.Length && IsWordCharacter(_query[_at]))
            _at++;

        var isProperty = start > 0 && _query[start - 1] == '.';
        var word = _query[start.._at];
        _afterOperand = isProperty || !_wordsBeforeOperand.Contains(word);
        if (!isProperty && _wordsBeforeCondition.Contains(word))
        {
            _afterOperand = false;
            _afterConditionWord = true;
        }
        else
            _afterConditionWord = false;
    }

    private void Open()
    {
        _open.Push(new Bracket(_query[_at], _at, _afterConditionWord));
        _at++;
        _afterOperand = false;
        _afterConditionWord = false;
    }

    private void Close()
    {
        var opened = _open.Peek();
        var expected = opened.Kind switch
        {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        if (_query[_at] != expected)
            throw text.Unexpected(_at, $"'{_query[_at]}'", $"'{expected}' for the '{opened.Kind}' of {text.PositionOf(opened.Offset)}");

        _open.Pop();
        _at++;
        _afterOperand = expected == ']' || (expected == ')' && !opened.FollowsConditionWord);
        _afterConditionWord = false;
    }

    private RqlSyntaxException NeverClosed(Bracket bracket) =>
        text.Unexpected(bracket.Offset, $"'{bracket.Kind}' that is never closed", "balanced brackets in this script");

    private static bool IsWordCharacter(char c) => char.IsLetterOrDigit(c) || c is '_' or '$';

    private readonly record struct Bracket(char Kind, int Offset, bool FollowsConditionWord);
}

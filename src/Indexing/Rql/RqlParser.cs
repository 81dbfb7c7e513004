using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Rql;

/// <summary>
/// Turns the text of a query into its tree, by recursive descent with one token in hand. The grammar is in <c>docs/rql.md</c>;
/// what a query means, and whether it can be answered, is not this type's concern.
/// </summary>
internal sealed partial class RqlParser
{
    private readonly RqlText _text;

    private readonly RqlLexer _lexer;

    private RqlToken _current;

    private int _depth;

    private int _clauses;

    private RqlParser(RqlText text)
    {
        _text = text;
        _lexer = new RqlLexer(text);
        _current = _lexer.Read(0);
    }

    /// <exception cref="RqlSyntaxException">The text is not a query.</exception>
    /// <exception cref="RqlLimitException">The text goes beyond one of <see cref="RqlLimits"/>.</exception>
    public static RqlQuery Parse(string query)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (query.Length > RqlLimits.MaxQueryLength)
        {
            throw new RqlLimitException(
                new RqlPosition(1, 1),
                "the whole query",
                nameof(RqlLimits.MaxQueryLength),
                RqlLimits.MaxQueryLength,
                $"the query is {query.Length} characters long"
            );
        }

        var parser = new RqlParser(new RqlText(query));
        var tree = parser.ParseQuery();
        Invariant.Require(parser._depth == 0);
        return tree;
    }

    private RqlPosition Position => _text.PositionOf(_current.Start);

    private bool At(RqlTokenKind kind) => _current.Kind == kind;

    private bool AtWord(string word) => IsWord(_current, word);

    private bool IsWord(RqlToken token, string word) =>
        token.Kind == RqlTokenKind.Identifier && Spelling(token).Equals(word, StringComparison.OrdinalIgnoreCase);

    private ReadOnlySpan<char> Spelling(RqlToken token) => _text.Query.AsSpan(token.Start, token.End - token.Start);

    private RqlToken PeekNext() => _lexer.Read(_current.End);

    private RqlToken Take()
    {
        var taken = _current;
        _current = PeekNext();
        return taken;
    }

    private bool TryTake(RqlTokenKind kind)
    {
        if (!At(kind))
            return false;
        Take();
        return true;
    }

    private bool TryTakeWord(string word)
    {
        if (!AtWord(word))
            return false;
        Take();
        return true;
    }

    private RqlToken Expect(RqlTokenKind kind, string expected) => At(kind) ? Take() : throw Unexpected(expected);

    private void ExpectWord(string word, string expected)
    {
        if (!TryTakeWord(word))
            throw Unexpected(expected);
    }

    private RqlSyntaxException Unexpected(string expected) => _text.Unexpected(_current, expected);

    /// <summary>Counts a level of nesting; each call is paired with a decrement of <see cref="_depth"/> when the level is done.</summary>
    private void Enter()
    {
        if (++_depth > RqlLimits.MaxNestingDepth)
            throw BeyondLimit(nameof(RqlLimits.MaxNestingDepth), RqlLimits.MaxNestingDepth, "the query is nested too deeply here");
    }

    private void CountClause()
    {
        if (++_clauses > RqlLimits.MaxClauses)
            throw BeyondLimit(nameof(RqlLimits.MaxClauses), RqlLimits.MaxClauses, "the query has too many conditions and fields");
    }

    private RqlLimitException BeyondLimit(string name, int limit, string what) =>
        new(Position, _text.Describe(_current), name, limit, what);

    /// <summary>Reads a script from the bracket in hand to the one that closes it, both included.</summary>
    private RqlScript TakeScript()
    {
        var start = _current.Start;
        var at = Position;
        var end = new JavaScriptScanner(_text).FindEnd(start);
        _current = _lexer.Read(end);
        return new RqlScript(_text.Query[start..end]) { At = at };
    }

    /// <summary>Reads text in the tokens of this language, such as a time-series query, from the bracket in hand to the one that
    /// closes it.</summary>
    private RqlScript TakeTokens()
    {
        var first = _current;
        var at = Position;
        var (opens, closes) =
            first.Kind == RqlTokenKind.LeftBrace
                ? (RqlTokenKind.LeftBrace, RqlTokenKind.RightBrace)
                : (RqlTokenKind.LeftParenthesis, RqlTokenKind.RightParenthesis);
        var open = 0;
        while (true)
        {
            if (At(RqlTokenKind.End))
                throw _text.Unexpected(
                    first.Start,
                    $"{_text.Describe(first)} that is never closed",
                    "balanced brackets in this time-series query"
                );

            var taken = _current;
            if (taken.Kind == opens)
                open++;
            else if (taken.Kind == closes && --open == 0)
            {
                Take();
                return new RqlScript(_text.Query[first.Start..taken.End]) { At = at };
            }

            Take();
        }
    }
}

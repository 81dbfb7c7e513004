using System.Globalization;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Rql;

/// <summary>Conditions and values, loosest first: <c>or</c>, <c>and</c>, <c>not</c>, comparison, operand.</summary>
internal sealed partial class RqlParser
{
    private const string ComparisonExpected = "a comparison ('=', '!=', '<', '<=', '>', '>=', 'in', 'all in', 'between')";

    private const string OperandExpected = "a field, a value or a call";

    private RqlExpression ParseCondition()
    {
        var condition = ParseExpression();
        RequireCondition(condition);
        return condition;
    }

    /// <summary>A condition or a value: which of them an argument must be only the method knows.</summary>
    private RqlExpression ParseExpression()
    {
        Enter();
        var expression = ParseChain(
            "or",
            RqlLogicalOperator.Or,
            static parser => parser.ParseChain("and", RqlLogicalOperator.And, static p => p.ParseNot())
        );
        _depth--;
        return expression;
    }

    private RqlExpression ParseChain(string word, RqlLogicalOperator op, Func<RqlParser, RqlExpression> parseOperand)
    {
        var at = Position;
        var first = parseOperand(this);
        if (!AtWord(word))
            return first;

        RequireCondition(first);
        var operands = new List<RqlExpression> { first };
        while (TryTakeWord(word))
        {
            var operand = parseOperand(this);
            RequireCondition(operand);
            operands.Add(operand);
        }

        return new RqlLogical(op, [.. operands]) { At = at };
    }

    private RqlExpression ParseNot()
    {
        if (!AtWord("not") || IsFieldHere(_current))
            return ParseComparison();

        Enter();
        var at = Position;
        Take();
        var operand = ParseNot();
        RequireCondition(operand);
        _depth--;
        return new RqlNot(operand) { At = at };
    }

    private RqlExpression ParseComparison()
    {
        if (TryTake(RqlTokenKind.LeftParenthesis))
        {
            var inner = ParseCondition();
            Expect(RqlTokenKind.RightParenthesis, "'and', 'or' or ')'");
            return inner;
        }

        var at = Position;
        var left = ParseOperand();
        if (ComparisonOperator(_current.Kind) is { } op)
        {
            Take();
            CountClause();
            return new RqlComparison(op, AsField(left), ParseOperand()) { At = at };
        }

        if (AtWord("between"))
        {
            Take();
            CountClause();
            var low = ParseOperand();
            ExpectWord("and", "'and' and the range's upper end");
            return new RqlBetween(AsField(left), low, ParseOperand()) { At = at };
        }

        var all = AtWord("all") && IsWord(PeekNext(), "in");
        if (!all && !AtWord("in"))
            return left;

        if (all)
            Take();
        Take();
        CountClause();
        return new RqlIn(AsField(left), ParseValues(), all) { At = at };
    }

    private static RqlComparisonOperator? ComparisonOperator(RqlTokenKind kind) =>
        kind switch
        {
            RqlTokenKind.Equal => RqlComparisonOperator.Equal,
            RqlTokenKind.NotEqual => RqlComparisonOperator.NotEqual,
            RqlTokenKind.Less => RqlComparisonOperator.Less,
            RqlTokenKind.LessOrEqual => RqlComparisonOperator.LessOrEqual,
            RqlTokenKind.Greater => RqlComparisonOperator.Greater,
            RqlTokenKind.GreaterOrEqual => RqlComparisonOperator.GreaterOrEqual,
            _ => null,
        };

    /// <summary>The values of <c>in</c>: in parentheses, or one parameter without them.</summary>
    private RqlList<RqlExpression> ParseValues()
    {
        if (At(RqlTokenKind.Parameter))
            return [ParseOperand()];

        Expect(RqlTokenKind.LeftParenthesis, "'(' and the values");
        var values = new List<RqlExpression>();
        if (TryTake(RqlTokenKind.RightParenthesis))
            return [];
        do values.Add(ParseOperand());
        while (TryTake(RqlTokenKind.Comma));

        Expect(RqlTokenKind.RightParenthesis, "',' or ')'");
        return [.. values];
    }

    private RqlExpression ParseOperand()
    {
        var at = Position;
        switch (_current.Kind)
        {
            case RqlTokenKind.String when PeekNext().Kind is not (RqlTokenKind.Dot or RqlTokenKind.LeftBracket):
                return new RqlString(_lexer.ValueOf(Take())) { At = at };
            case RqlTokenKind.String:
                return ParsePath();
            case RqlTokenKind.Number:
                return new RqlNumber(Spelling(Take()).ToString()) { At = at };
            case RqlTokenKind.Parameter:
                return new RqlParameter(Spelling(Take())[1..].ToString()) { At = at };
            case RqlTokenKind.LeftBracket:
                return ParseArray();
            case RqlTokenKind.Identifier:
                return ParseWord();
            default:
                throw Unexpected(OperandExpected);
        }
    }

    private RqlExpression ParseWord()
    {
        var at = Position;
        if (IsFieldHere(_current))
            return ParsePath();
        if (TryTakeWord("true"))
            return new RqlBoolean(true) { At = at };
        if (TryTakeWord("false"))
            return new RqlBoolean(false) { At = at };
        if (TryTakeWord("null"))
            return new RqlNull { At = at };
        if (RqlKeywords.IsReserved(Spelling(_current)))
            throw Unexpected(OperandExpected + " (a field named like a keyword stands in quotes)");
        return ParsePath();
    }

    /// <summary>Whether what follows a reserved word shows that it is a field's name: clients quote few of them.</summary>
    private bool IsFieldHere(RqlToken word)
    {
        if (!RqlKeywords.IsReserved(Spelling(word)))
            return false;
        var next = _lexer.Read(word.End);
        return ComparisonOperator(next.Kind) is not null || (!RqlKeywords.StandsBesideOperands(Spelling(word)) && EndsOperand(next));
    }

    /// <summary>Whether a token shows that what is before it is a field.</summary>
    private bool EndsOperand(RqlToken token) =>
        token.Kind switch
        {
            RqlTokenKind.End or RqlTokenKind.Comma or RqlTokenKind.RightParenthesis => true,
            RqlTokenKind.Dot or RqlTokenKind.LeftBracket or RqlTokenKind.RightBracket => true,
            RqlTokenKind.Identifier => IsWord(token, "as")
                || IsWord(token, "and")
                || IsWord(token, "or")
                || IsWord(token, "in")
                || IsWord(token, "all")
                || IsWord(token, "between")
                || IsWord(token, "desc")
                || IsWord(token, "descending")
                || IsWord(token, "asc")
                || IsWord(token, "ascending")
                || RqlKeywords.BeginsClause(Spelling(token)),
            _ => false,
        };

    private RqlArray ParseArray()
    {
        Enter();
        var at = Position;
        Take();
        var items = new List<RqlExpression>();
        if (!At(RqlTokenKind.RightBracket))
        {
            do items.Add(ParseOperand());
            while (TryTake(RqlTokenKind.Comma));
        }

        Expect(RqlTokenKind.RightBracket, "',' or ']'");
        _depth--;
        return new RqlArray([.. items]) { At = at };
    }

    private RqlObject TakeObject()
    {
        var script = TakeScript();
        return new RqlObject(script) { At = script.At };
    }

    /// <summary>A quoted text in a place where only a field can be is a field with a quoted name.</summary>
    private RqlExpression AsField(RqlExpression expression) =>
        expression switch
        {
            RqlString { Value.Length: 0 } => throw UnexpectedAt(expression, "a field's name that is not empty"),
            RqlString quoted => new RqlField([new RqlProperty(quoted.Value)]) { At = quoted.At },
            _ => expression,
        };

    /// <summary>A value alone is no condition; what is missing is missing at the token in hand.</summary>
    private void RequireCondition(RqlExpression expression)
    {
        if (!expression.IsCondition)
            throw Unexpected(ComparisonExpected);
    }

    private RqlSyntaxException UnexpectedAt(RqlExpression expression, string expected)
    {
        var offset = _text.OffsetOf(expression.At);
        return _text.Unexpected(_lexer.Read(offset), expected);
    }
}

using System.Globalization;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Rql;

/// <summary>Paths of fields, and calls.</summary>
internal sealed partial class RqlParser
{
    /// <summary>A field's path, or a call when an opening parenthesis follows a name.</summary>
    private RqlExpression ParsePath()
    {
        var first = _current;
        var at = Position;
        var quoted = At(RqlTokenKind.String);
        var segments = new List<RqlPathSegment> { TakeProperty() };
        while (!At(RqlTokenKind.LeftParenthesis))
        {
            if (TryTake(RqlTokenKind.Dot))
            {
                quoted |= At(RqlTokenKind.String);
                segments.Add(TakeProperty());
            }
            else if (At(RqlTokenKind.LeftBracket))
                segments.Add(ParseSubscript());
            else
                return new RqlField([.. segments]) { At = at };
        }

        // A quoted name or a subscript cannot be part of a method's name: the parenthesis is out of place.
        if (quoted || !segments.TrueForAll(s => s is RqlProperty))
            throw Unexpected("an operator: a call's name is one or more bare words joined by dots");

        CountClause();
        var name = segments.Count == 1 ? Spelling(first).ToString() : string.Join('.', segments.Cast<RqlProperty>().Select(p => p.Name));
        return new RqlMethodCall(name, ParseArguments(), ParsePathAfterCall()) { At = at };
    }

    private RqlList<RqlPathSegment> ParsePathAfterCall()
    {
        var segments = new List<RqlPathSegment>();
        while (true)
        {
            if (TryTake(RqlTokenKind.Dot))
                segments.Add(TakeProperty());
            else if (At(RqlTokenKind.LeftBracket))
                segments.Add(ParseSubscript());
            else
                return [.. segments];
        }
    }

    private RqlProperty TakeProperty()
    {
        // A parameter cannot stand behind a dot, and $Keys and $Values can.
        if (At(RqlTokenKind.Identifier) || At(RqlTokenKind.Parameter))
            return new RqlProperty(Spelling(Take()).ToString());
        if (!At(RqlTokenKind.String))
            throw Unexpected("a property's name");

        var name = _lexer.ValueOf(_current);
        if (name.Length == 0)
            throw Unexpected("a property's name that is not empty");
        Take();
        return new RqlProperty(name);
    }

    private RqlPathSegment ParseSubscript()
    {
        Take();
        RqlPathSegment segment = new RqlEachElement();
        if (At(RqlTokenKind.String))
            segment = TakeProperty();
        else if (At(RqlTokenKind.Number))
        {
            if (!int.TryParse(Spelling(_current), NumberStyles.None, CultureInfo.InvariantCulture, out var index))
                throw Unexpected("an element's whole number, counted from 0");
            Take();
            segment = new RqlElementAt(index);
        }

        Expect(RqlTokenKind.RightBracket, "']'");
        return segment;
    }

    private RqlList<RqlExpression> ParseArguments()
    {
        Take();
        if (TryTake(RqlTokenKind.RightParenthesis))
            return [];

        var arguments = new List<RqlExpression>();
        do arguments.Add(ParseArgument());
        while (TryTake(RqlTokenKind.Comma));

        Expect(RqlTokenKind.RightParenthesis, "',' or ')'");
        return [.. arguments];
    }

    private RqlExpression ParseArgument()
    {
        var at = Position;
        if (At(RqlTokenKind.LeftBrace))
            return TakeObject();
        if (TryTake(RqlTokenKind.Star))
            return new RqlStar { At = at };
        if ((AtWord("and") || AtWord("or")) && PeekNext().Kind is RqlTokenKind.Comma or RqlTokenKind.RightParenthesis)
        {
            var op = AtWord("and") ? RqlLogicalOperator.And : RqlLogicalOperator.Or;
            Take();
            return new RqlOperatorArgument(op) { At = at };
        }

        var argument = ParseExpression();
        return TryTakeWord("as") ? new RqlNamedArgument(argument, TakeAlias()) { At = at } : argument;
    }
}

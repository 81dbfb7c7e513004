using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Rql;

/// <summary>The clauses.</summary>
internal sealed partial class RqlParser
{
    private const string ClauseOrEnd = "a clause ('where', 'order by', 'select', 'include', 'limit', ...) or the end of the query";

    private readonly HashSet<string> _seen = new(StringComparer.OrdinalIgnoreCase);

    private RqlQuery ParseQuery()
    {
        var declarations = new List<RqlDeclaration>();
        while (AtWord("declare"))
            declarations.Add(ParseDeclaration());

        var at = Position;
        if (!AtWord("from"))
            throw Unexpected(declarations.Count == 0 ? "'from' or 'declare'" : "'from' or another 'declare'");
        Take();

        var query = new RqlQuery
        {
            Declarations = [.. declarations],
            From = ParseFrom(),
            At = at,
        };
        while (!At(RqlTokenKind.End))
            query = ParseClause(query);
        return query;
    }

    private RqlDeclaration ParseDeclaration()
    {
        var at = Position;
        Take();
        CountClause();
        if (TryTakeWord("function"))
        {
            var name = TakeName("the function's name");
            RequireAt(RqlTokenKind.LeftParenthesis, "'(' and the function's parameters");
            var parameters = TakeScript();
            RequireAt(RqlTokenKind.LeftBrace, "'{' and the function's body");
            return new RqlFunctionDeclaration(name, Inside(parameters), TakeScript()) { At = at };
        }

        if (TryTakeWord("timeseries"))
        {
            var name = TakeName("the time-series query's name");
            RequireAt(RqlTokenKind.LeftParenthesis, "'(' and the time-series query's parameters");
            var parameters = TakeTokens();
            RequireAt(RqlTokenKind.LeftBrace, "'{' and the time-series query");
            return new RqlTimeSeriesDeclaration(name, Inside(parameters), TakeTokens()) { At = at };
        }

        throw Unexpected("'function' or 'timeseries'");
    }

    private RqlFrom ParseFrom()
    {
        var at = Position;
        var isIndex = AtWord("index") && NamesAnIndex(PeekNext());
        if (isIndex)
            Take();

        var name = TakeSourceName(isIndex ? "the index's name" : "a collection's name, '@all_docs' or 'index'");
        RqlExpression? filter = null;
        if (TryTake(RqlTokenKind.LeftParenthesis))
        {
            filter = ParseCondition();
            Expect(RqlTokenKind.RightParenthesis, "')'");
        }

        string? alias = null;
        if (TryTakeWord("as"))
            alias = TakeName("the source's alias");
        else if (
            At(RqlTokenKind.Identifier)
            && !RqlKeywords.BeginsClause(Spelling(_current))
            && !RqlKeywords.IsReserved(Spelling(_current))
        )
            alias = Spelling(Take()).ToString();

        var kind =
            isIndex ? RqlSourceKind.Index
            : name.Equals(RqlFrom.AllDocumentsName, StringComparison.OrdinalIgnoreCase) ? RqlSourceKind.AllDocuments
            : RqlSourceKind.Collection;
        return new RqlFrom(kind, kind == RqlSourceKind.AllDocuments ? RqlFrom.AllDocumentsName : name, alias, filter) { At = at };
    }

    /// <summary>Whether the token after the word <c>index</c> makes it the keyword, and not a collection of that name.</summary>
    private bool NamesAnIndex(RqlToken next) =>
        next.Kind == RqlTokenKind.String
        || (next.Kind == RqlTokenKind.Identifier && !RqlKeywords.BeginsClause(Spelling(next)) && !RqlKeywords.IsReserved(Spelling(next)));

    private RqlQuery ParseClause(RqlQuery query)
    {
        var clause = _current;
        if (clause.Kind != RqlTokenKind.Identifier)
            throw Unexpected(ClauseOrEnd);

        switch (Spelling(clause).ToString().ToUpperInvariant())
        {
            case "GROUP":
                TakeClause();
                ExpectWord("by", "'by' after 'group'");
                return query with { GroupBy = ParseItems(ParseGroupKey) };
            case "WHERE":
                TakeClause();
                return query with { Where = ParseCondition() };
            case "ORDER":
                TakeClause();
                ExpectWord("by", "'by' after 'order'");
                return query with { OrderBy = ParseItems(ParseOrdering) };
            case "LOAD":
                TakeClause();
                return query with { Load = ParseItems(ParseLoad) };
            case "FILTER":
                TakeClause();
                return query with { Filter = ParseCondition() };
            case "SELECT":
                TakeClause();
                return query with { Select = ParseSelect() };
            case "INCLUDE":
                TakeClause();
                return query with { Include = ParseItems(ParseOperand) };
            case "UPDATE":
                TakeClause();
                RequireAt(RqlTokenKind.LeftBrace, "'{' and the script of the update");
                return query with { Update = TakeScript() };
            case "LIMIT":
                TakeClause();
                return ParseLimit(query);
            case "OFFSET":
                TakeClause();
                return query with { Offset = ParseCount() };
            case "FILTER_LIMIT":
                TakeClause();
                return query with { FilterLimit = ParseCount() };
            default:
                throw Unexpected(ClauseOrEnd);
        }
    }

    /// <summary>Takes the word that begins a clause, which a query has once.</summary>
    private void TakeClause()
    {
        var word = Spelling(_current).ToString();
        if (!_seen.Add(word))
            throw Unexpected($"no second '{word.ToLowerInvariant()}'");
        Take();
    }

    private RqlQuery ParseLimit(RqlQuery query)
    {
        var first = ParseCount();
        if (!At(RqlTokenKind.Comma))
            return query with { Limit = first };

        if (!_seen.Add("offset"))
            throw Unexpected("no second number: 'offset' says already how many results to pass over");
        Take();
        return query with { Offset = first, Limit = ParseCount() };
    }

    private RqlExpression ParseCount()
    {
        var at = Position;
        if (At(RqlTokenKind.Parameter))
            return ParseOperand();
        if (TryTakeWord("null"))
            return new RqlNull { At = at };
        if (At(RqlTokenKind.Number) && Spelling(_current).IndexOfAnyExceptInRange('0', '9') < 0)
            return new RqlNumber(Spelling(Take()).ToString()) { At = at };
        throw Unexpected("a whole number that is not negative, or a parameter");
    }

    private RqlExpression ParseGroupKey()
    {
        var key = AsField(ParseOperand());
        return key is RqlField or RqlMethodCall ? key : throw UnexpectedAt(key, "a field, or a call such as Array(tags)");
    }

    private RqlOrdering ParseOrdering()
    {
        var at = Position;
        var key = AsField(ParseOperand());
        if (key is not (RqlField or RqlMethodCall))
            throw UnexpectedAt(key, "a field, or a call such as random()");

        var type = TryTakeWord("as") ? ParseOrderingType() : RqlOrderingType.Unspecified;
        var descending = TryTakeWord("desc") || TryTakeWord("descending");
        if (!descending && !TryTakeWord("asc"))
            TryTakeWord("ascending");
        return new RqlOrdering(key, type, descending) { At = at };
    }

    private RqlOrderingType ParseOrderingType()
    {
        if (TryTakeWord("long"))
            return RqlOrderingType.Long;
        if (TryTakeWord("double"))
            return RqlOrderingType.Double;
        if (TryTakeWord("alphanumeric"))
            return RqlOrderingType.AlphaNumeric;
        if (TryTakeWord("string"))
            return RqlOrderingType.Text;
        throw Unexpected("'long', 'double', 'string' or 'alphaNumeric'");
    }

    private RqlLoad ParseLoad()
    {
        var at = Position;
        var what = ParseOperand();
        ExpectWord("as", "'as' and a name for the loaded document");
        var alias = TakeName("a name for the loaded document");
        var each = TryTake(RqlTokenKind.LeftBracket);
        if (each)
            Expect(RqlTokenKind.RightBracket, "']'");
        return new RqlLoad(what, alias, each) { At = at };
    }

    private RqlSelect ParseSelect()
    {
        var at = Position;
        var distinct = AtWord("distinct") && IsFollowedByItem(PeekNext());
        if (distinct)
            Take();

        if (!At(RqlTokenKind.LeftBrace))
            return new RqlSelect(distinct, ParseItems(ParseSelectItem)) { At = at };

        CountClause();
        var item = new RqlSelectItem(TakeObject(), null) { At = Position };
        return new RqlSelect(distinct, [item]) { At = at };
    }

    /// <summary>Whether what follows makes <c>distinct</c> the keyword, and not a field of that name.</summary>
    private bool IsFollowedByItem(RqlToken next) =>
        next.Kind switch
        {
            RqlTokenKind.Identifier => (!RqlKeywords.BeginsClause(Spelling(next)) && !RqlKeywords.IsReserved(Spelling(next)))
                || EndsItem(_lexer.Read(next.End)),
            RqlTokenKind.String or RqlTokenKind.Star or RqlTokenKind.LeftBrace or RqlTokenKind.Parameter or RqlTokenKind.Number => true,
            _ => false,
        };

    /// <summary>Whether the token after a clause's word shows that the word is the name of a field or method here.</summary>
    private bool EndsItem(RqlToken token) =>
        token.Kind switch
        {
            RqlTokenKind.End or RqlTokenKind.Comma or RqlTokenKind.Dot or RqlTokenKind.LeftBracket or RqlTokenKind.LeftParenthesis => true,
            RqlTokenKind.Identifier => IsWord(token, "as") || RqlKeywords.BeginsClause(Spelling(token)),
            _ => false,
        };

    private RqlSelectItem ParseSelectItem()
    {
        var at = Position;
        if (TryTake(RqlTokenKind.Star))
            return new RqlSelectItem(new RqlStar { At = at }, null) { At = at };

        var isTimeSeries =
            AtWord("timeseries") && PeekNext() is { Kind: RqlTokenKind.LeftParenthesis } open && IsWord(_lexer.Read(open.End), "from");
        var what = isTimeSeries ? ParseTimeSeriesQuery() : AsField(ParseOperand());
        var alias = TryTakeWord("as") ? TakeAlias() : null;
        return new RqlSelectItem(what, alias) { At = at };
    }

    private RqlTimeSeriesQuery ParseTimeSeriesQuery()
    {
        var at = Position;
        Take();
        return new RqlTimeSeriesQuery(Inside(TakeTokens())) { At = at };
    }

    private RqlList<T> ParseItems<T>(Func<T> parseItem)
    {
        var items = new List<T>();
        do
        {
            CountClause();
            items.Add(parseItem());
        } while (TryTake(RqlTokenKind.Comma));

        return [.. items];
    }

    private string TakeSourceName(string expected)
    {
        if (!At(RqlTokenKind.String))
            return TakeName(expected);

        var name = _lexer.ValueOf(_current);
        if (name.Length == 0)
            throw Unexpected(expected);
        Take();
        return name;
    }

    private string TakeName(string expected) => Spelling(Expect(RqlTokenKind.Identifier, expected)).ToString();

    private string TakeAlias() => At(RqlTokenKind.String) ? _lexer.ValueOf(Take()) : TakeName("a name after 'as'");

    private void RequireAt(RqlTokenKind kind, string expected)
    {
        if (!At(kind))
            throw Unexpected(expected);
    }

    private static string Inside(RqlScript bracketed) => bracketed.Text[1..^1];
}

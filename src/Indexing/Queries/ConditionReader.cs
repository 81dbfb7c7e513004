using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Search;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Reads conditions as what an index is asked, and gathers the fields that they need. What they mean, value by value, is in
/// docs/queries.md.
/// </summary>
internal sealed class ConditionReader(QueryScope scope, WantedFields fields)
{
    /// <summary>Ends of ranges that clients write for "no end".</summary>
    private const string OpenStart = "*";

    private const string OpenEnd = "NULL";

    /// <summary>Inside <c>exact(…)</c>: texts are compared case and all.</summary>
    private bool _isExact;

    public SearchQuery Read(RqlExpression condition) =>
        condition switch
        {
            RqlBoolean { Value: true } => new SearchQuery.All(),
            RqlBoolean => new SearchQuery.None(),
            RqlNot not => new SearchQuery.Not(Read(not.Operand)),
            RqlLogical { Operator: RqlLogicalOperator.And } all => new SearchQuery.And([.. all.Operands.Select(Read)]),
            RqlLogical any => new SearchQuery.Or([.. any.Operands.Select(Read)]),
            RqlComparison comparison => Comparison(comparison),
            RqlBetween between => Range(
                between.Operand,
                End(between.Low, OpenStart),
                includesFrom: true,
                End(between.High, OpenEnd),
                includesTo: true,
                between
            ),
            RqlIn list => list.All ? AllOf(list) : AnyOf(list.Operand, QueryValue.ListOf(list.Values, scope)),
            RqlMethodCall { Path.Count: 0 } call => Call(call),
            RqlMethodCall call => throw RqlMethods.Refusal(call, RqlMethodPlace.Condition),
            _ => throw new QueryNotSupportedException("this condition", condition.At),
        };

    private SearchQuery Comparison(RqlComparison comparison)
    {
        var (left, right) = (comparison.Left, comparison.Right);
        return comparison.Operator switch
        {
            RqlComparisonOperator.Equal => AnyOf(left, [QueryValue.Of(right, scope)]),
            RqlComparisonOperator.NotEqual => new SearchQuery.Not(AnyOf(left, [QueryValue.Of(right, scope)])),
            RqlComparisonOperator.Greater => Range(left, End(right, OpenStart), false, null, false, comparison),
            RqlComparisonOperator.GreaterOrEqual => Range(left, End(right, OpenStart), true, null, false, comparison),
            RqlComparisonOperator.Less => Range(left, null, false, End(right, OpenEnd), false, comparison),
            _ => Range(left, null, false, End(right, OpenEnd), true, comparison),
        };
    }

    /// <summary>Null for an open end.</summary>
    private QueryValue? End(RqlExpression expression, string open)
    {
        var value = QueryValue.Of(expression, scope);
        return value.Kind == QueryValueKind.Null || (value.Kind == QueryValueKind.Text && value.Text == open) ? null : value;
    }

    private SearchQuery.Range Range(
        RqlExpression operand,
        QueryValue? from,
        bool includesFrom,
        QueryValue? to,
        bool includesTo,
        RqlExpression whole
    )
    {
        var path = PathOf(operand);
        bool isNumber = (from ?? to)?.Kind == QueryValueKind.Number && path is not null;
        if (from is { } low && to is { } high && low.Kind != high.Kind && path is not null)
            throw new QueryArgumentException(
                "The two ends of a range must both be numbers or both be texts: numbers are compared with numbers, texts with texts",
                whole.At
            );
        bool areDatesMoments = AreDatesMoments(path);
        return new SearchQuery.Range(
            FieldOf(path),
            ValueOf(from, isNumber, areDatesMoments),
            includesFrom,
            ValueOf(to, isNumber, areDatesMoments),
            includesTo
        );
    }

    private static SearchValue? ValueOf(QueryValue? end, bool isNumber, bool areDatesMoments) =>
        end is not { } value ? null
        : isNumber && JsonNumber.TryParse(value.Text, out var number, out _, maxLength: int.MaxValue) ? new SearchValue.Number(number)
        : new SearchValue.Text(areDatesMoments ? DateTexts.Of(value.Text) : value.Text);

    private SearchQuery.And AllOf(RqlIn list)
    {
        var values = QueryValue.ListOf(list.Values, scope);
        return new SearchQuery.And([.. values.Select(value => AnyOf(list.Operand, [value]))]);
    }

    private SearchQuery AnyOf(RqlExpression operand, List<QueryValue> values)
    {
        var path = PathOf(operand);
        var forms = new List<SearchValue>(values.Count);
        foreach (var value in values)
            value.AddFormsTo(forms, areNumbersIndexed: path is not null, AreDatesMoments(path));
        return In(FieldOf(path), forms);
    }

    private static SearchQuery In(string field, List<SearchValue> values) =>
        values switch
        {
            [] => new SearchQuery.None(),
            [var only] => new SearchQuery.Term(field, only),
            _ => new SearchQuery.In(field, values),
        };

    private SearchQuery Call(RqlMethodCall call)
    {
        switch (call.Name.ToUpperInvariant())
        {
            case "EXACT":
                return Exact(call);
            case "BOOST":
                return Read(Argument(call, 0, of: 2));
            case "EXISTS":
                return PathOf(Argument(call, 0, of: 1)) is { } path ? new SearchQuery.Exists(fields.Plain(path)) : new SearchQuery.All();
            case "STARTSWITH":
                return new SearchQuery.Prefix(FieldOf(PathOf(Argument(call, 0, of: 2))), Text(call));
            case "ENDSWITH":
                return new SearchQuery.Suffix(FieldOf(PathOf(Argument(call, 0, of: 2))), Text(call));
            case "REGEX":
                return Regex(call);
            case "SEARCH":
                return Search(call);
            case "ID":
                throw new QueryArgumentException("id() is no condition by itself: compare it with something", call.At);
            default:
                throw RqlMethods.Refusal(call, RqlMethodPlace.Condition);
        }
    }

    /// <summary>Terms are in lower case. An expression without capitals seeks by its beginning; one with capitals is told to ignore
    /// case.</summary>
    private SearchQuery.Regex Regex(RqlMethodCall call)
    {
        var path = PathOf(Argument(call, 0, of: 2));
        var pattern = Text(call);
        bool isLowerCase = !_isExact || path is null;
        return new SearchQuery.Regex(FieldOf(path), isLowerCase && pattern.Any(char.IsUpper) ? "(?i)" + pattern : pattern);
    }

    private SearchQuery Exact(RqlMethodCall call)
    {
        var condition = Argument(call, 0, of: 1);
        bool was = _isExact;
        _isExact = true;
        try
        {
            return Read(condition);
        }
        finally
        {
            _isExact = was;
        }
    }

    private SearchQuery.Words Search(RqlMethodCall call)
    {
        if (_isExact)
            throw new QueryArgumentException("search() compares words in lower case and cannot stand inside exact()", call.At);
        if (call.Arguments.Count is not (2 or 3))
            throw WrongArguments(call, "a field, the words, and perhaps 'and' or 'or'");
        bool isAll = false;
        if (call.Arguments.Count == 3)
            isAll = call.Arguments[2] is RqlOperatorArgument operation
                ? operation.Operator == RqlLogicalOperator.And
                : throw WrongArguments(call, "'and' or 'or' as its third argument");
        var path =
            PathOf(call.Arguments[0])
            ?? throw new QueryNotSupportedException("search() in id(), which is not taken apart into words", call.At);
        var text = Text(call);
        return SearchedText.Parse(text, call.Arguments[1].At).Query(fields.Search(path), isAll);
    }

    private static RqlExpression Argument(RqlMethodCall call, int index, int of) =>
        call.Arguments.Count == of ? call.Arguments[index] : throw WrongArguments(call, of == 1 ? "one argument" : $"{of} arguments");

    private static QueryArgumentException WrongArguments(RqlMethodCall call, string expected) =>
        new($"{call.Name}() takes {expected}", call.At);

    /// <summary>The second argument of a method.</summary>
    private string Text(RqlMethodCall call)
    {
        var value = QueryValue.Of(call.Arguments[1], scope);
        return value.Kind != QueryValueKind.Null
            ? value.Text
            : throw new QueryArgumentException($"{call.Name}() takes a text, not null", call.Arguments[1].At);
    }

    private string FieldOf(string? path) =>
        path is null ? WantedFields.Id
        : _isExact ? fields.Exact(path)
        : fields.Plain(path);

    /// <summary>The field holds a date as its moment: ids and exact texts are what they are.</summary>
    private bool AreDatesMoments(string? path) => path is not null && !_isExact;

    /// <summary>The path of what is compared; null for the document's id.</summary>
    private string? PathOf(RqlExpression operand) =>
        operand switch
        {
            RqlField field => scope.PathOf(field),
            // Where a method takes a field, a text is its name.
            RqlString name => FieldPathText.Of([new(scope.WithoutAlias(name.Value), IsEach: false)]),
            RqlMethodCall when scope.IsId(operand) => null,
            RqlMethodCall call => throw RqlMethods.Refusal(call, RqlMethodPlace.Field),
            _ => throw new QueryArgumentException("A field must stand here: its path, or id()", operand.At),
        };
}

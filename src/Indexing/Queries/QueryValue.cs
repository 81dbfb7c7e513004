using System.Text.Json;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Queries;

/// <summary>What a condition compares a field with. True and false are the texts <c>true</c> and <c>false</c>, as indexes hold
/// them.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Text">The text, or the number as it was written.</param>
internal readonly record struct QueryValue(QueryValueKind Kind, string Text)
{
    public static QueryValue Null => new(QueryValueKind.Null, "");

    /// <summary>Reads a literal or a parameter that is one value.</summary>
    public static QueryValue Of(RqlExpression expression, QueryScope scope) =>
        expression switch
        {
            RqlString text => new QueryValue(QueryValueKind.Text, text.Value),
            RqlNumber number => new QueryValue(QueryValueKind.Number, WithoutLeadingZeros(number.Text)),
            RqlBoolean boolean => new QueryValue(QueryValueKind.Text, boolean.Value ? "true" : "false"),
            RqlNull => Null,
            RqlParameter parameter => Of(scope.ValueOf(parameter), parameter),
            RqlMethodCall call => DateFunction.Of(call, scope) ?? throw RqlMethods.Refusal(call, RqlMethodPlace.Value),
            RqlField field => throw new QueryNotSupportedException(
                "comparing a field with another field (a text stands in quotes)",
                field.At
            ),
            _ => throw new QueryNotSupportedException(
                "comparing with anything but a text, a number, true, false, null or a parameter",
                expression.At
            ),
        };

    /// <summary>Reads the values of a list: each literal, and of a parameter that is an array each element.</summary>
    public static List<QueryValue> ListOf(IReadOnlyList<RqlExpression> expressions, QueryScope scope)
    {
        var values = new List<QueryValue>(expressions.Count);
        foreach (var expression in expressions)
        {
            if (expression is RqlParameter parameter && scope.ValueOf(parameter) is { ValueKind: JsonValueKind.Array } array)
            {
                values.EnsureCapacity(values.Count + array.GetArrayLength());
                foreach (var element in array.EnumerateArray())
                    values.Add(Of(element, parameter));
            }
            else if (expression is RqlArray items)
                values.AddRange(ListOf(items.Items, scope));
            else
                values.Add(Of(expression, scope));
        }
        return values;
    }

    /// <summary>
    /// Adds every form in which an index may hold a value that equals this one. A number is also found as the text of its digits, as
    /// written and in its shortest form. A text that reads as a number also finds the number. A number beyond double is found by its text
    /// alone, with which indexes hold it.
    /// </summary>
    /// <param name="forms">Takes them.</param>
    /// <param name="areNumbersIndexed">The field may hold numbers.</param>
    /// <param name="areDatesMoments">The field holds a date as its moment.</param>
    public void AddFormsTo(List<SearchValue> forms, bool areNumbersIndexed, bool areDatesMoments)
    {
        if (Kind == QueryValueKind.Null)
        {
            forms.Add(SearchValue.Null);
            return;
        }
        forms.Add(new SearchValue.Text(areDatesMoments ? DateTexts.Of(Text) : Text));
        if (!JsonNumber.TryParse(Text, out var number, out bool isBeyondDouble) || isBeyondDouble || !areNumbersIndexed)
            return;
        forms.Add(new SearchValue.Number(number));
        if (Kind == QueryValueKind.Number && JsonNumber.ShortestText(number) is var shortest && shortest != Text)
            forms.Add(new SearchValue.Text(shortest));
    }

    private static QueryValue Of(JsonElement value, RqlParameter parameter) =>
        value.ValueKind switch
        {
            JsonValueKind.String => new QueryValue(QueryValueKind.Text, TextOf(value, parameter)),
            JsonValueKind.Number => new QueryValue(QueryValueKind.Number, value.GetRawText()),
            JsonValueKind.True => new QueryValue(QueryValueKind.Text, "true"),
            JsonValueKind.False => new QueryValue(QueryValueKind.Text, "false"),
            JsonValueKind.Null => Null,
            _ => throw new QueryParameterException(
                $"A field is compared with one value, and ${parameter.Name} has {RqlParameters.Describe(value)}; 'in' takes several",
                parameter.At
            ),
        };

    /// <summary>RQL lets numbers begin with zeros, JSON does not.</summary>
    private static string WithoutLeadingZeros(string text)
    {
        int sign = text.StartsWith('-') ? 1 : 0;
        int from = sign;
        while (from + 1 < text.Length && text[from] == '0' && char.IsAsciiDigit(text[from + 1]))
            from++;
        return from == sign ? text : text[..sign] + text[from..];
    }

    private static string TextOf(JsonElement value, RqlParameter parameter)
    {
        try
        {
            return value.GetString()!;
        }
        catch (InvalidOperationException)
        {
            throw new QueryParameterException($"${parameter.Name} holds half of a surrogate pair, which no text has", parameter.At);
        }
    }
}

using System.Globalization;
using System.Text;
using Jackdaw.Search;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>Shows what an index is asked, for people: in explanations, in lists of running queries, in tests.</summary>
internal static class SearchQueryText
{
    /// <summary>Values of a list that are shown; of a longer one the number of the others.</summary>
    private const int ShownValues = 10;

    private const int ShownLength = 2_000;

    public static string Of(SearchQuery query)
    {
        var text = new StringBuilder();
        Write(query, text);
        return text.Length > ShownLength ? text.ToString(0, ShownLength) + "…" : text.ToString();
    }

    public static string Of(SearchOrder order)
    {
        var direction = order.IsDescending ? " desc" : "";
        return order.Kind switch
        {
            SearchOrderKind.Text => order.Field + direction,
            SearchOrderKind.Number => order.Field + " as number" + direction,
            SearchOrderKind.AlphaNumeric => order.Field + " as alphaNumeric" + direction,
            SearchOrderKind.Random => "random",
            _ => "entry" + direction,
        };
    }

    private static void Write(SearchQuery query, StringBuilder text)
    {
        if (text.Length > ShownLength)
            return;
        switch (query)
        {
            case SearchQuery.All:
                text.Append("everything");
                break;
            case SearchQuery.None:
                text.Append("nothing");
                break;
            case SearchQuery.Term term:
                text.Append(term.Field).Append(" = ").Append(Of(term.Value));
                break;
            case SearchQuery.In list:
                WriteList(list, text);
                break;
            case SearchQuery.Range range:
                WriteRange(range, text);
                break;
            case SearchQuery.Prefix prefix:
                text.Append(CultureInfo.InvariantCulture, $"startsWith({prefix.Field}, '{prefix.Text}')");
                break;
            case SearchQuery.Suffix suffix:
                text.Append(CultureInfo.InvariantCulture, $"endsWith({suffix.Field}, '{suffix.Text}')");
                break;
            case SearchQuery.Contains contains:
                text.Append(CultureInfo.InvariantCulture, $"contains({contains.Field}, '{contains.Text}')");
                break;
            case SearchQuery.Wildcard wildcard:
                text.Append(CultureInfo.InvariantCulture, $"wildcard({wildcard.Field}, '{wildcard.Pattern}')");
                break;
            case SearchQuery.Regex regex:
                text.Append(CultureInfo.InvariantCulture, $"regex({regex.Field}, '{regex.Pattern}')");
                break;
            case SearchQuery.Exists exists:
                text.Append(CultureInfo.InvariantCulture, $"exists({exists.Field})");
                break;
            case SearchQuery.Words words:
                WriteWords(words, text);
                break;
            case SearchQuery.And and:
                WriteChain(and.Of, " and ", text);
                break;
            case SearchQuery.Or or:
                WriteChain(or.Of, " or ", text);
                break;
            case SearchQuery.Not not:
                text.Append("not ");
                WriteChain([not.Of], "", text);
                break;
        }
    }

    private static void WriteChain(IReadOnlyList<SearchQuery> of, string word, StringBuilder text)
    {
        text.Append('(');
        for (int i = 0; i < of.Count; i++)
        {
            text.Append(i > 0 ? word : "");
            Write(of[i], text);
        }
        text.Append(')');
    }

    private static void WriteList(SearchQuery.In list, StringBuilder text)
    {
        text.Append(list.Field).Append(list.IsAll ? " all in (" : " in (").AppendJoin(", ", list.Values.Take(ShownValues).Select(Of));
        if (list.Values.Count > ShownValues)
            text.Append(CultureInfo.InvariantCulture, $" and {list.Values.Count - ShownValues} more");
        text.Append(')');
    }

    private static void WriteWords(SearchQuery.Words words, StringBuilder text)
    {
        IEnumerable<string> plain = words.Phrases.Count > 0 && string.IsNullOrWhiteSpace(words.Text) ? [] : [$"'{words.Text.Trim()}'"];
        text.Append(words.Field)
            .Append(words.IsAll ? " has all of " : " has any of ")
            .AppendJoin(", ", plain.Concat(words.Phrases.Take(ShownValues).Select(phrase => $"\"{phrase}\"")));
        if (words.Phrases.Count > ShownValues)
            text.Append(CultureInfo.InvariantCulture, $" and {words.Phrases.Count - ShownValues} more phrases");
    }

    private static void WriteRange(SearchQuery.Range range, StringBuilder text)
    {
        if (range.From is { } from)
            text.Append(Of(from)).Append(range.IncludesFrom ? " <= " : " < ");
        text.Append(range.Field);
        if (range.To is { } to)
            text.Append(range.IncludesTo ? " <= " : " < ").Append(Of(to));
        if (range.From is null && range.To is null)
            text.Append(" is a number or a text");
    }

    private static string Of(SearchValue value) =>
        value switch
        {
            SearchValue.Text text => $"'{text.Value}'",
            SearchValue.Number number => JsonNumber.ShortestText(number.Value),
            _ when value == SearchValue.Null => "null",
            _ => "[]",
        };
}

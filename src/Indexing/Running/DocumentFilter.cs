using System.Text;
using System.Text.RegularExpressions;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Mapping.Automatic;
using Jackdaw.Indexing.Queries;
using Jackdaw.Search;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// Looks at documents one by one: does each fit the conditions, as it would in an index? Fields are found by the same map. Of one thread.
/// </summary>
internal sealed class DocumentFilter : IDisposable
{
    private readonly SearchQuery _query;
    private readonly IIndexMap _map;
    private readonly EntryValues _values = new();
    private readonly Dictionary<SearchQuery.Regex, Regex> _expressions = new(ReferenceEqualityComparer.Instance);

    /// <exception cref="SearchQueryException">A regular expression cannot be used.</exception>
    public DocumentFilter(FilterPlan plan)
    {
        _query = plan.Query;
        Compile(_query);
        _map = AutomaticKind.Instance.Compile(plan.Fields);
        _map.Begin(_values);
    }

    /// <summary>A document that cannot be mapped fits nothing, as in an index.</summary>
    public bool Fits(in Document document)
    {
        try
        {
            _map.Map(document, _values);
        }
        catch (MappingException)
        {
            return false;
        }
        return Fits(_query);
    }

    public void Dispose() => _map.Dispose();

    private bool Fits(SearchQuery query) =>
        query switch
        {
            SearchQuery.All => true,
            SearchQuery.None => false,
            SearchQuery.Term term => Has(term.Field, term.Value),
            SearchQuery.In { IsAll: false } list => list.Values.Any(value => Has(list.Field, value)),
            SearchQuery.In list => list.Values.All(value => Has(list.Field, value)),
            SearchQuery.Exists exists => _values.Of(exists.Field).Count > 0,
            SearchQuery.Prefix prefix => AnyText(prefix.Field, _values.Term(prefix.Field, prefix.Text), StartsWith),
            SearchQuery.Suffix suffix => AnyText(suffix.Field, _values.Term(suffix.Field, suffix.Text), EndsWith),
            SearchQuery.Regex regex => AnyText(regex.Field, "", (text, _) => !IsCut(text) && _expressions[regex].IsMatch(text)),
            SearchQuery.Range range => _values.Of(range.Field).Any(value => IsInside(value, range)),
            SearchQuery.And and => and.Of.All(Fits),
            SearchQuery.Or or => or.Of.Any(Fits),
            SearchQuery.Not not => !Fits(not.Of),
            _ => throw new SearchQueryException($"A filter cannot look at documents by {query.GetType().Name}."),
        };

    private bool Has(string field, SearchValue value)
    {
        var wanted = value is SearchValue.Text text ? new SearchValue.Text(_values.Term(field, text.Value)) : value;
        return _values.Of(field).Contains(wanted);
    }

    private bool AnyText(string field, string wanted, Func<string, string, bool> fits)
    {
        foreach (var value in _values.Of(field))
        {
            if (value is SearchValue.Text text && fits(text.Value, wanted))
                return true;
        }
        return false;
    }

    private static bool StartsWith(string text, string prefix) =>
        text.StartsWith(prefix, StringComparison.Ordinal) && !(IsCut(text) && Bytes(prefix) > SearchLimits.CutTermPrefixBytes);

    private static bool EndsWith(string text, string suffix) => !IsCut(text) && text.EndsWith(suffix, StringComparison.Ordinal);

    /// <summary>An index has only the beginning of such a text.</summary>
    private static bool IsCut(string text) =>
        text.Length > SearchLimits.MaxWholeTermBytes / 3 && Bytes(text) > SearchLimits.MaxWholeTermBytes;

    private static int Bytes(string text) => Encoding.UTF8.GetByteCount(text);

    private bool IsInside(SearchValue value, SearchQuery.Range range)
    {
        if (range.From is null && range.To is null)
            return value is SearchValue.Number or SearchValue.Text;
        return (range.From is null || Compare(value, range.From, range.Field) is { } low && (low > 0 || (low == 0 && range.IncludesFrom)))
            && (range.To is null || Compare(value, range.To, range.Field) is { } high && (high < 0 || (high == 0 && range.IncludesTo)));
    }

    /// <summary>Null for values of two kinds.</summary>
    private int? Compare(SearchValue value, SearchValue end, string field) =>
        (value, end) switch
        {
            (SearchValue.Number a, SearchValue.Number b) => a.Value.Value != b.Value.Value
                ? a.Value.Value.CompareTo(b.Value.Value)
                : a.Value.Remainder.CompareTo(b.Value.Remainder),
            (SearchValue.Text a, SearchValue.Text b) => CompareTexts(a.Value, _values.Term(field, b.Value)),
            _ => null,
        };

    /// <summary>By bytes; a text that an index cuts by its first ones, and with as many of the other.</summary>
    private static int CompareTexts(string text, string end)
    {
        ReadOnlySpan<byte> own = Encoding.UTF8.GetBytes(text);
        ReadOnlySpan<byte> other = Encoding.UTF8.GetBytes(end);
        if (own.Length > SearchLimits.MaxWholeTermBytes && other.Length > SearchLimits.CutTermPrefixBytes)
        {
            own = own[..SearchLimits.CutTermPrefixBytes];
            other = other[..SearchLimits.CutTermPrefixBytes];
        }
        return own.SequenceCompareTo(other);
    }

    /// <summary>Before any document is looked at: a malformed expression is told even where no document comes to it.</summary>
    private void Compile(SearchQuery query)
    {
        switch (query)
        {
            case SearchQuery.Regex regex:
                _expressions[regex] = LinearRegex.Compile(regex.Pattern);
                break;
            case SearchQuery.And and:
                foreach (var one in and.Of)
                    Compile(one);
                break;
            case SearchQuery.Or or:
                foreach (var one in or.Of)
                    Compile(one);
                break;
            case SearchQuery.Not not:
                Compile(not.Of);
                break;
        }
    }
}

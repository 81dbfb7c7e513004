using System.Text;
using System.Text.RegularExpressions;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Jackdaw.Search.Tests.Entries;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Answers queries by looking at every entry of a model.</summary>
internal sealed class NaiveIndex
{
    private readonly SortedDictionary<long, NaiveEntry> _entries = [];
    private readonly HashSet<string> _fields;

    public NaiveIndex(IndexModel model, SearchReader reader)
    {
        _fields = [.. reader.Fields.Select(field => field.Name)];
        var sources = new Dictionary<string, int>();
        for (long id = 1; id <= reader.HighestEntry; id++)
        {
            if (!reader.TryGetSource(id, out var source))
                continue;
            string name = Encoding.UTF8.GetString(source);
            int number = sources.GetValueOrDefault(name);
            sources[name] = number + 1;
            _entries.Add(id, new NaiveEntry(model.Entries[name][number]));
        }
    }

    public long[] Ids => [.. _entries.Keys];

    public long[] Find(SearchQuery query) => [.. _entries.Where(pair => Fits(query, pair.Value)).Select(pair => pair.Key)];

    /// <summary>The entries in order.</summary>
    public long[] Order(IEnumerable<long> ids, IReadOnlyList<SearchOrder> orders)
    {
        long[] sorted = [.. ids];
        Array.Sort(sorted, (a, b) => Compare(a, b, orders));
        return sorted;
    }

    private bool Fits(SearchQuery query, NaiveEntry entry)
    {
        return query switch
        {
            SearchQuery.All => true,
            SearchQuery.None => false,
            SearchQuery.And and => and.Of.All(of => Fits(of, entry)),
            SearchQuery.Or or => or.Of.Any(of => Fits(of, entry)),
            SearchQuery.Not not => !Fits(not.Of, entry),
            SearchQuery.Exists exists => entry.Has(exists.Field),
            SearchQuery.Term term => FitsTerm(term.Field, term.Value, entry),
            SearchQuery.In { IsAll: true } all => IsKnown(all.Field) && all.Values.All(value => FitsTerm(all.Field, value, entry)),
            SearchQuery.In some => some.Values.Any(value => FitsTerm(some.Field, value, entry)),
            SearchQuery.Prefix prefix => AnyText(prefix.Field, entry, term => StartsWith(term, Prepared(prefix.Field, prefix.Text))),
            SearchQuery.Suffix suffix => AnyWhole(
                suffix.Field,
                entry,
                text => text.EndsWith(Prepared(suffix.Field, suffix.Text), StringComparison.Ordinal)
            ),
            SearchQuery.Contains part => AnyWhole(
                part.Field,
                entry,
                text => text.Contains(Prepared(part.Field, part.Text), StringComparison.Ordinal)
            ),
            SearchQuery.Wildcard wildcard => AnyWhole(
                wildcard.Field,
                entry,
                text => Regex.IsMatch(text, AsRegex(Prepared(wildcard.Field, wildcard.Pattern)), RegexOptions.Singleline)
            ),
            SearchQuery.Regex regex => AnyWhole(regex.Field, entry, text => Regex.IsMatch(text, regex.Pattern)),
            SearchQuery.Range range => Terms(range.Field, entry).Any(term => IsWithin(term, range)),
            SearchQuery.Words words => FitsWords(words, entry),
            _ => throw new InvalidOperationException(),
        };
    }

    /// <summary>Does the index have it? A field of the model comes into being with its first value.</summary>
    private bool IsKnown(string field) => _fields.Contains(field);

    private static IReadOnlyList<NaiveTerm> Terms(string field, NaiveEntry entry) => entry.Terms(field);

    private static string Prepared(string field, string text) =>
        IndexModel.Fields.TryGetValue(field, out var options) && options.Analyzer != AnalyzerKind.Exact ? text.ToLowerInvariant() : text;

    private static bool AnyText(string field, NaiveEntry entry, Func<NaiveTerm, bool> fits) =>
        Terms(field, entry).Any(term => term.IsText && fits(term));

    /// <summary>Patterns see only terms that are kept whole.</summary>
    private static bool AnyWhole(string field, NaiveEntry entry, Func<string, bool> fits) =>
        AnyText(field, entry, term => !term.IsCut && fits(term.Text));

    private static bool StartsWith(NaiveTerm term, string prefix) => term.Text.StartsWith(prefix, StringComparison.Ordinal);

    private static string AsRegex(string pattern) => "^" + Regex.Escape(pattern).Replace("\\*", ".*").Replace("\\?", ".") + "\\z";

    private bool FitsTerm(string field, SearchValue value, NaiveEntry entry)
    {
        if (!IsKnown(field))
            return false;
        NaiveTerm[] wanted = [.. WantedBy(value, IndexModel.Fields[field].Analyzer)];
        return wanted.Length > 0 && wanted.All(term => Terms(field, entry).Contains(term));
    }

    private static IEnumerable<NaiveTerm> WantedBy(SearchValue value, AnalyzerKind analyzer) =>
        value switch
        {
            SearchValue.Text text => NaiveTerm.Of(new ModelValue.Text(text.Value), analyzer),
            SearchValue.Number number => [NaiveTerm.Of(NaiveTerm.Exact(number.Value.Value) + number.Value.Remainder)],
            _ when value == SearchValue.Null => [NaiveTerm.Null],
            _ => [NaiveTerm.EmptyArray],
        };

    private static bool IsWithin(NaiveTerm term, SearchQuery.Range range)
    {
        if (term.Rank < NaiveTerm.NumberRank)
            return false;
        return (range.From is null || IsBeyond(term, range.Field, range.From, range.IncludesFrom, 1))
            && (range.To is null || IsBeyond(term, range.Field, range.To, range.IncludesTo, -1));
    }

    private static bool IsBeyond(NaiveTerm term, string field, SearchValue bound, bool includes, int side)
    {
        int order;
        if (bound is SearchValue.Number number && !term.IsText)
            order = term.Number.CompareTo(NaiveTerm.Exact(number.Value.Value) + number.Value.Remainder);
        else if (bound is SearchValue.Text text && term.IsText)
            order = term.Kept.AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(Prepared(field, text.Value)));
        else
            return false;
        return order == 0 ? includes : Math.Sign(order) == side;
    }

    private bool FitsWords(SearchQuery.Words words, NaiveEntry entry)
    {
        if (!IsKnown(words.Field))
            return false;
        var conditions = new List<Func<bool>>();
        bool takesApart = IndexModel.Fields[words.Field].Analyzer == AnalyzerKind.Standard;
        foreach (string word in takesApart ? words.Text.Split(' ', StringSplitOptions.RemoveEmptyEntries).SelectMany(Pieces) : [words.Text])
        {
            string text = Prepared(words.Field, word.Trim('*'));
            if (text.Contains('*', StringComparison.Ordinal))
            {
                string whole = AsRegex(Prepared(words.Field, word));
                conditions.Add(() => AnyWhole(words.Field, entry, term => Regex.IsMatch(term, whole, RegexOptions.Singleline)));
                continue;
            }
            bool isOpenLeft = word.StartsWith('*');
            bool isOpenRight = word.EndsWith('*');
            if (isOpenLeft && text.Length == 0)
                conditions.Add(() => AnyText(words.Field, entry, _ => true));
            else if (isOpenLeft && isOpenRight)
                conditions.Add(() => AnyWhole(words.Field, entry, term => term.Contains(text, StringComparison.Ordinal)));
            else if (isOpenLeft)
                conditions.Add(() => AnyWhole(words.Field, entry, term => term.EndsWith(text, StringComparison.Ordinal)));
            else if (isOpenRight)
                conditions.Add(() => AnyText(words.Field, entry, term => StartsWith(term, text)));
            else if (!takesApart || text is not ("the" or "and"))
                conditions.Add(() => FitsTerm(words.Field, new SearchValue.Text(word), entry));
        }
        foreach (string phrase in words.Phrases.Where(phrase => !takesApart || NaiveEntry.HasWords(phrase)))
            conditions.Add(() =>
                takesApart ? entry.HasPhrase(words.Field, phrase) : FitsTerm(words.Field, new SearchValue.Text(phrase), entry)
            );
        return conditions.Count > 0 && (words.IsAll ? conditions.All(fits => fits()) : conditions.Any(fits => fits()));
    }

    /// <summary>A word with stars is cut at hyphens, as the analyzer cuts others.</summary>
    private static IEnumerable<string> Pieces(string word) =>
        word.Trim('*').Length == 0 || !word.Contains('*', StringComparison.Ordinal)
            ? [word]
            : word.Split('-').Where(piece => piece.Trim('*').Length > 0);

    private int Compare(long a, long b, IReadOnlyList<SearchOrder> orders)
    {
        foreach (var order in orders)
        {
            int sign = order.Kind == SearchOrderKind.Entry ? a.CompareTo(b) : Compare(Value(a, order), Value(b, order), order.Kind);
            if (sign != 0)
                return order.IsDescending ? -sign : sign;
        }
        return a.CompareTo(b);
    }

    /// <summary>The smallest value; null where the entry has none of the kind that is compared.</summary>
    private NaiveTerm? Value(long id, SearchOrder order)
    {
        var smallest = Terms(order.Field, _entries[id]).Min();
        return order.Kind == SearchOrderKind.Number && smallest is { IsText: true } ? null : smallest;
    }

    private static int Compare(NaiveTerm? a, NaiveTerm? b, SearchOrderKind kind)
    {
        int rankA = Math.Min(a?.Rank ?? 0, NaiveTerm.NumberRank);
        int rank = rankA.CompareTo(Math.Min(b?.Rank ?? 0, NaiveTerm.NumberRank));
        if (rank != 0 || rankA < NaiveTerm.NumberRank)
            return rank;
        return kind switch
        {
            SearchOrderKind.Number => a!.Number.CompareTo(b!.Number),
            SearchOrderKind.Text => a!.AsText.AsSpan().SequenceCompareTo(b!.AsText),
            _ => CompareParts(Encoding.UTF8.GetString(a!.AsText), Encoding.UTF8.GetString(b!.AsText)),
        };
    }

    /// <summary>Digits as numbers, everything else by its bytes.</summary>
    private static int CompareParts(string a, string b)
    {
        string[] partsA = [.. Regex.Matches(a, "[0-9]+|[^0-9]").Select(match => match.Value)];
        string[] partsB = [.. Regex.Matches(b, "[0-9]+|[^0-9]").Select(match => match.Value)];
        for (int i = 0; i < Math.Min(partsA.Length, partsB.Length); i++)
        {
            bool areNumbers = char.IsAsciiDigit(partsA[i][0]) && char.IsAsciiDigit(partsB[i][0]);
            int order = areNumbers
                ? System.Numerics.BigInteger.Parse(partsA[i]).CompareTo(System.Numerics.BigInteger.Parse(partsB[i]))
                : Encoding.UTF8.GetBytes(partsA[i]).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(partsB[i]));
            if (order != 0)
                return order;
        }
        int rest = partsA.Length.CompareTo(partsB.Length);
        return rest != 0 ? rest
            : a.Length != b.Length ? a.Length.CompareTo(b.Length)
            : string.CompareOrdinal(a, b);
    }
}

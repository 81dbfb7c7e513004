using System.Text;
using Jackdaw.Search.Analysis;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>Ranges, prefixes, and what tests each term.</summary>
internal sealed partial class MatchCompiler
{
    private Match Range(FieldView field, SearchQuery.Range range)
    {
        string what = $"{field.Name} {Show(range)}";
        var of = new List<TermSegment>();
        if (range.From is SearchValue.Number or null && range.To is SearchValue.Number or null)
            of.Add(NumberRange(field, range));
        if (range.From is SearchValue.Text or null && range.To is SearchValue.Text or null)
            of.AddRange(TextRange(field, range));
        if (of.Count == 0)
            throw new SearchQueryException(
                $"The range on '{field.Name}' must have two numbers, two texts, or an open end; it is {Show(range)}."
            );
        return Segments(field, of, what);
    }

    private static TermSegment NumberRange(FieldView field, SearchQuery.Range range)
    {
        var from = (SearchValue.Number?)range.From;
        var to = (SearchValue.Number?)range.To;
        return new TermSegment(
            field.Numbers,
            from is null ? [] : NumberBound(from.Value, isBehind: !range.IncludesFrom),
            to is null ? TermSegment.BehindNumbers : NumberBound(to.Value, isBehind: range.IncludesTo),
            AreNumbers: true
        );
    }

    /// <summary>Whole terms, then those that are cut.</summary>
    private static TermSegment[] TextRange(FieldView field, SearchQuery.Range range) =>
        [TextRange(field, TextKey.First[0], range), TextRange(field, TextKey.FirstCut[0], range)];

    private static TermSegment TextRange(FieldView field, byte first, SearchQuery.Range range)
    {
        var from = (SearchValue.Text?)range.From;
        var to = (SearchValue.Text?)range.To;
        return new TermSegment(
            field.Texts,
            from is null ? [first] : TextBound(field, first, from.Value, isBehind: !range.IncludesFrom),
            to is null ? [(byte)(first + 1)] : TextBound(field, first, to.Value, isBehind: range.IncludesTo),
            AreNumbers: false
        );
    }

    private static byte[] NumberBound(SearchNumber number, bool isBehind)
    {
        RequireFinite(number);
        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        key = key[..NumberKey.Write(number, key)];
        return isBehind ? TermSegment.After(key) : key.ToArray();
    }

    /// <summary>Of a cut term only the first bytes are known: it is compared by these, and with as many of the bound.</summary>
    private static byte[] TextBound(FieldView field, byte first, string text, bool isBehind)
    {
        byte[] term = AsTerm(field, text);
        if (first == TextKey.FirstCut[0] && term.Length >= SearchLimits.CutTermPrefixBytes)
        {
            byte[] known = [first, .. term.AsSpan(0, SearchLimits.CutTermPrefixBytes)];
            bool isEqual = term.Length > SearchLimits.CutTermPrefixBytes;
            return isEqual && isBehind ? TermSegment.AfterPrefix(known) : known;
        }
        byte[] key = [first, .. term];
        return isBehind ? TermSegment.After(key) : key;
    }

    /// <summary>The text as a term would have it, but never taken apart.</summary>
    private static byte[] AsTerm(FieldView field, string text)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        if (field.Known.Options.Analyzer == AnalyzerKind.Exact)
            return utf8;
        byte[] lower = new byte[Utf8Text.MaxMappedBytes(utf8.Length)];
        return lower[..Utf8Text.ToLower(utf8, lower)];
    }

    private Match Segments(FieldView field, List<TermSegment> segments, string what)
    {
        var found = new List<TermSegment>(segments.Count);
        long postings = 0;
        foreach (var segment in segments)
        {
            var (terms, ofTerms) = segment.Measure();
            postings += ofTerms;
            if (terms > 0)
                found.Add(segment with { Terms = terms });
        }
        return found.Count == 0 ? new NoMatch($"{what}, no such terms") : new TermRangeMatch(run, field, found, postings, what);
    }

    private Match Prefix(FieldView field, string text)
    {
        RequireShort(field, text);
        string what = $"{field.Name} begins with {Show(new SearchValue.Text(text))}";
        byte[] term = AsTerm(field, text);
        var segments = new List<TermSegment>();
        byte[] whole = [.. TextKey.First, .. term];
        segments.Add(new TermSegment(field.Texts, whole, TermSegment.AfterPrefix(whole), AreNumbers: false));
        byte[] cut = [.. TextKey.FirstCut, .. term];
        if (term.Length <= SearchLimits.CutTermPrefixBytes)
            segments.Add(new TermSegment(field.Texts, cut, TermSegment.AfterPrefix(cut), AreNumbers: false));
        return Segments(field, segments, what);
    }

    private PatternMatch Edge(FieldView field, string text, bool isAnywhere)
    {
        RequireShort(field, text);
        string what = $"{field.Name} {(isAnywhere ? "contains" : "ends with")} {Show(new SearchValue.Text(text))}";
        return Tested(field, new EdgeTest(AsTerm(field, text), isAnywhere), what);
    }

    private PatternMatch Wildcard(FieldView field, string pattern)
    {
        RequireShort(field, pattern);
        return Tested(field, new WildcardTest(AsTerm(field, pattern)), $"{field.Name} like {Show(new SearchValue.Text(pattern))}");
    }

    /// <summary>A malformed expression is an error whether the field is there or not.</summary>
    private Match Regex(SearchQuery.Regex regex)
    {
        var test = new RegexTest(regex.Pattern);
        return OnField(regex.Field, field => Tested(field, test, $"{field.Name} matches /{regex.Pattern}/"));
    }

    private PatternMatch Tested(FieldView field, ITermTest test, string what) => new(run, field, test, what);

    /// <summary>Only words by words analyzers are taken apart at spaces; a keyword is one word.</summary>
    private Match Words(FieldView field, SearchQuery.Words words)
    {
        string what = $"search({field.Name}, {Show(new SearchValue.Text(words.Text))})";
        var keys = run.KeysOf(field);
        var patterns = new List<Match>();
        foreach (string word in Apart(field, words.Text))
        {
            if (word.Contains('*', StringComparison.Ordinal))
                AddPattern(field, word, patterns);
            else
                Analyze(field, word, keys);
        }
        var plain =
            keys.Count == 0 ? null
            : words.IsAll ? EachOf(keys, what)
            : AnyOf(keys, what);
        if (plain is not null)
            patterns.Add(plain);
        foreach (string phrase in words.Phrases)
            AddPhrase(field, phrase, patterns);
        if (patterns.Count == 0)
            return new NoMatch($"{what}, without words");
        return words.IsAll ? Intersection(patterns, []) : Union(patterns, areDisjoint: false);
    }

    /// <summary>The analyzer does not know stars: words with stars are taken out of its hands, and cut where it would cut them.</summary>
    private static List<string> Apart(FieldView field, string text)
    {
        if (field.Known.Options.Analyzer != AnalyzerKind.Standard || !text.Contains('*', StringComparison.Ordinal))
            return [text];
        var words = new List<string>();
        foreach (string word in text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))
        {
            if (word.AsSpan().Trim('*').IsEmpty || !word.Contains('*', StringComparison.Ordinal))
                words.Add(word);
            else
                CutAtSigns(word, words);
        }
        return words;
    }

    private static void CutAtSigns(string word, List<string> pieces)
    {
        int start = 0;
        int at = 0;
        foreach (var rune in word.EnumerateRunes())
        {
            if (rune.Value != '*' && WordParts.Of(rune) == WordPart.None)
            {
                AddPiece(word[start..at], pieces);
                start = at + rune.Utf16SequenceLength;
            }
            at += rune.Utf16SequenceLength;
        }
        AddPiece(word[start..], pieces);
    }

    /// <summary>Of <c>well-*</c> only the word counts: a star beside a sign is not any text.</summary>
    private static void AddPiece(string piece, List<string> pieces)
    {
        if (!piece.AsSpan().Trim('*').IsEmpty)
            pieces.Add(piece);
    }

    private void AddPattern(FieldView field, string word, List<Match> patterns)
    {
        string text = word.Trim('*');
        if (text.Contains('*', StringComparison.Ordinal))
            patterns.Add(Wildcard(field, word));
        // A star alone is any text.
        else if (text.Length == 0 || !word.StartsWith('*'))
            patterns.Add(Prefix(field, text));
        else
            patterns.Add(Edge(field, text, isAnywhere: word.EndsWith('*')));
    }

    private static void RequireShort(FieldView field, string pattern)
    {
        if (pattern.Length > SearchQueryLimits.MaxPatternCharacters)
            throw new SearchQueryException(
                $"The pattern on '{field.Name}' has {pattern.Length} characters; the limit is {SearchQueryLimits.MaxPatternCharacters} "
                    + "(SearchQueryLimits.MaxPatternCharacters)."
            );
    }

    private static string Show(SearchQuery.Range range)
    {
        string from = range.From is null ? "(-∞" : (range.IncludesFrom ? "[" : "(") + Show(range.From);
        string to = range.To is null ? "∞)" : Show(range.To) + (range.IncludesTo ? "]" : ")");
        return $"in {from}, {to}";
    }
}

using System.Globalization;
using System.Text;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;

namespace Jackdaw.Simulation.Following;

/// <summary>What an index holds, and what it is to hold by the model.</summary>
internal static class IndexContents
{
    /// <summary>Bytes up to which a term is kept whole.</summary>
    private const int WholeTermBytes = 512;

    private const int TermsOfPage = 4096;

    /// <summary>Of each source its terms, field by field.</summary>
    public static SortedDictionary<string, IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>>> Read(SearchReader reader)
    {
        var contents = new SortedDictionary<string, IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>>>(StringComparer.Ordinal);
        using var result = reader.Search(new SearchRequest { Query = new SearchQuery.All(), Take = long.MaxValue });
        var entries = new long[64];
        while (result.Read(entries) is var count && count > 0)
        {
            foreach (var entry in entries.AsSpan(0, count))
            {
                OracleException.Require(reader.TryGetSource(entry, out var source), $"entry {entry} is found and is not there");
                var key = Encoding.UTF8.GetString(source);
                OracleException.Require(contents.TryAdd(key, reader.TermsOf(entry)), $"'{key}' has two entries");
            }
        }
        OracleException.Require(
            contents.Count == reader.EntryCount,
            $"{reader.EntryCount} entries are told of, and {contents.Count} found"
        );
        return contents;
    }

    /// <summary>The content is exactly that of a fresh build: the same sources, terms and fields, no rule broken.</summary>
    public static void RequireEqual(SearchReader index, SearchReader fresh)
    {
        var findings = SearchCheck.Run(index);
        OracleException.Require(findings.Count == 0, $"the index breaks its rules: {string.Join("; ", findings)}");
        var (contents, expected) = (Read(index), Read(fresh));
        foreach (var (source, terms) in expected)
            OracleException.Require(
                contents.TryGetValue(source, out var found) && Text(found) == Text(terms),
                $"a fresh build has '{source}' with {Text(terms)}, the index {(found is null ? "does not have it" : Text(found))}"
            );
        foreach (var source in contents.Keys)
            OracleException.Require(expected.ContainsKey(source), $"the index has '{source}', a fresh build does not");
        foreach (var field in fresh.Fields)
            OracleException.Require(
                index.Terms(field.Name, null, TermsOfPage).SequenceEqual(fresh.Terms(field.Name, null, TermsOfPage)),
                $"the field '{field.Name}' has other terms than in a fresh build"
            );
    }

    /// <summary>The document is in the index as the model says.</summary>
    public static void RequireMapped(
        IndexedSource document,
        IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>>? found,
        AutoIndexDefinition definition,
        long position
    )
    {
        var isMappable = document.Number is not { } refused || !PickyMap.Refuses(refused);
        OracleException.Require(
            (found is not null) == isMappable,
            $"the index at {position} {(isMappable ? "misses" : "holds")} {document.Source} of etag {document.Etag}"
        );
        if (found is null)
            return;
        foreach (var field in definition.Fields)
        {
            if (field.Path.EndsWith('n'))
                RequireValue(document, found, field.Path, document.Number?.ToString(CultureInfo.InvariantCulture), position);
            else if (!field.Path.EndsWith('t'))
                RequireValue(document, found, field.Path, null, position);
            else if (document.Text is null || Encoding.UTF8.GetByteCount(document.Text) <= WholeTermBytes)
                RequireValue(document, found, field.Path, document.Text, position);
        }
    }

    private static void RequireValue(
        IndexedSource document,
        IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>> found,
        string field,
        string? value,
        long position
    )
    {
        var terms = found.FirstOrDefault(pair => pair.Key == field).Value;
        OracleException.Require(
            value is null ? terms is null : terms?.Count == 1 && terms[0] == value,
            $"the index at {position} says of {document.Source}, etag {document.Etag}, that '{field}' is "
                + $"{(terms is null ? "missing" : string.Join(", ", terms))}, and it is {value ?? "missing"}"
        );
    }

    private static string Text(IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>> terms) =>
        string.Join(
            "; ",
            terms.Select(field => $"{field.Key}: {string.Join(", ", field.Value.Order(StringComparer.Ordinal).Select(Short))}")
        );

    private static string Short(string term) => term.Length <= WholeTermBytes ? term : $"{term[..WholeTermBytes]}… {term.Length}";
}

using System.Globalization;
using System.Text.Json;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>A query, and what it should find, told by a look at each document.</summary>
internal sealed record IndexedQuery(string Text, Func<IndexedDocument, bool> Fits, bool IsByTotal = false)
{
    public static IndexedQuery Some(Random random)
    {
        string collection = IndexedDocument.Collections[random.Next(IndexedDocument.Collections.Length)];
        string name = IndexedDocument.Names[random.Next(IndexedDocument.Names.Length)];
        string tag = IndexedDocument.AllTags[random.Next(IndexedDocument.AllTags.Length)];
        string word = IndexedDocument.Words[random.Next(IndexedDocument.Words.Length)];
        string city = IndexedDocument.Cities[random.Next(IndexedDocument.Cities.Length)];
        double low = random.Next(100);
        double high = low + random.Next(40);
        var (text, fits) = random.Next(9) switch
        {
            0 => ($"Name = '{name}'", (Func<IndexedDocument, bool>)(d => Same(d.Name, name))),
            1 => ($"Name != '{name}'", d => !Same(d.Name, name)),
            2 => (Invariant($"Total between {low} and {high}"), d => d.Total >= low && d.Total <= high),
            3 => ($"Tags in ('{tag}', 'none')", d => d.Tags is not null && d.Tags.Any(own => Same(own, tag))),
            4 => ($"search(Note, '{word}')", d => d.Note.Split(' ').Contains(word)),
            5 => (Invariant($"Address.City = '{city}' and Total > {low}"), d => Same(d.City, city) && d.Total > low),
            6 => ($"exists(Tags) and not exact(Name = '{name}')", d => d.Tags is not null && d.Name != name),
            7 => (Invariant($"startsWith(Name, '{name[..1]}') or Total < {low}"), d => Begins(d.Name, name[..1]) || d.Total < low),
            _ => ($"Address.City in ('{city}') and Name >= 'b'", d => Same(d.City, city) && Below("b", d.Name)),
        };
        bool isOfAll = random.Next(4) == 0;
        bool isByTotal = random.Next(3) == 0;
        return new IndexedQuery(
            $"from {(isOfAll ? "@all_docs" : collection)} where {text}{(isByTotal ? " order by Total as double" : "")}",
            d => (isOfAll || d.Collection == collection) && fits(d),
            isByTotal
        );
    }

    /// <summary>The body of the request.</summary>
    public string Body(bool waits) =>
        JsonSerializer.Serialize(
            waits
                ? new
                {
                    Query = Text,
                    WaitForNonStaleResults = true,
                    WaitForNonStaleResultsTimeout = "00:01:30",
                }
                : (object)new { Query = Text }
        );

    public override string ToString() => Text;

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static bool Same(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private static bool Begins(string text, string prefix) => text.StartsWith(prefix, StringComparison.OrdinalIgnoreCase);

    /// <summary>In the order of UTF-8, which for these names is that of their characters.</summary>
    private static bool Below(string bound, string text) => string.CompareOrdinal(bound, text.ToLowerInvariant()) <= 0;
}

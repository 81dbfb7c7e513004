namespace Jackdaw.Search.Tests.Entries;

/// <summary>An entry: values of fields, in the order in which they are added.</summary>
internal sealed record ModelEntry(List<(string Field, ModelValue Value)> Values, byte[] Stored)
{
    public IEnumerable<string> TermsOf(string field) =>
        Values.Where(pair => pair.Field == field).SelectMany(pair => pair.Value.Terms(IndexModel.Fields[field].Analyzer));

    /// <summary>Tokens, where the field keeps frequencies.</summary>
    public int LengthOf(string field) =>
        IndexModel.Fields[field].KeepsFrequencies
            ? Values
                .Where(pair => pair.Field == field && pair.Value is ModelValue.Text)
                .Sum(pair => pair.Value.Terms(IndexModel.Fields[field].Analyzer).Count())
            : 0;

    public override string ToString() =>
        Describe(Values.Select(pair => pair.Field).Distinct().Select(field => (field, (IReadOnlyList<string>)[.. TermsOf(field)])), Stored);

    public static string Describe(IEnumerable<(string Field, IReadOnlyList<string> Terms)> fields, ReadOnlySpan<byte> stored) =>
        string.Join(
            "; ",
            fields
                .OrderBy(field => field.Field, StringComparer.Ordinal)
                .Select(field => $"{field.Field}: {string.Join(", ", field.Terms.Distinct().Order(StringComparer.Ordinal))}")
        ) + $" [{Convert.ToHexString(stored)}]";
}

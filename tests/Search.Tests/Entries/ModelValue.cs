using System.Globalization;
using System.Text;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>A value that is added to a field.</summary>
internal abstract record ModelValue
{
    public sealed record Text(string Value) : ModelValue;

    public sealed record Number(long Value) : ModelValue;

    public sealed record Fraction(double Value) : ModelValue;

    public sealed record Null : ModelValue;

    public sealed record EmptyArray : ModelValue;

    /// <summary>The terms of it as a person would say them, in the order of the text.</summary>
    public IEnumerable<string> Terms(AnalyzerKind analyzer) =>
        this switch
        {
            Text text => analyzer switch
            {
                AnalyzerKind.Exact => [Shown(text.Value)],
                AnalyzerKind.LowerCaseKeyword => [Shown(text.Value.ToLowerInvariant())],
                _ => text
                    .Value.ToLowerInvariant()
                    .Split(' ', StringSplitOptions.RemoveEmptyEntries)
                    .Where(word => word is not ("the" or "and")),
            },
            Number number => [number.Value.ToString(CultureInfo.InvariantCulture)],
            Fraction fraction => [fraction.Value.ToString("R", CultureInfo.InvariantCulture)],
            Null => ["NULL_VALUE"],
            _ => ["EMPTY_ARRAY"],
        };

    private static string Shown(string term)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(term);
        return utf8.Length <= 512 ? term : Encoding.UTF8.GetString(utf8, 0, 496) + "…";
    }
}

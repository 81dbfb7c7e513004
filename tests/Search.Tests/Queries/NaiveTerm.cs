using System.Globalization;
using System.Text;
using Jackdaw.Search.Tests.Entries;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>A term as a plain evaluator compares it.</summary>
internal sealed record NaiveTerm(int Rank, decimal Number, string Text) : IComparable<NaiveTerm>
{
    public const int NullRank = 1;
    public const int EmptyArrayRank = 2;
    public const int NumberRank = 3;
    public const int TextRank = 4;

    public bool IsText => Rank == TextRank;

    public byte[] Utf8 => Encoding.UTF8.GetBytes(Text);

    public bool IsCut => Utf8.Length > 512;

    /// <summary>The bytes that are kept.</summary>
    public byte[] Kept => IsCut ? Utf8[..496] : Utf8;

    /// <summary>As the text of JSON.</summary>
    public byte[] AsText => IsText ? Kept : Encoding.UTF8.GetBytes(Number.ToString("0.############", CultureInfo.InvariantCulture));

    /// <summary>A decimal made of a double has 15 digits only.</summary>
    public static decimal Exact(double value) => value == Math.Truncate(value) ? (long)value : (decimal)value;

    public static NaiveTerm Of(string text) => new(TextRank, 0, text);

    public static NaiveTerm Of(decimal number) => new(NumberRank, number, "");

    public static NaiveTerm Null { get; } = new(NullRank, 0, "");

    public static NaiveTerm EmptyArray { get; } = new(EmptyArrayRank, 0, "");

    public static IEnumerable<NaiveTerm> Of(ModelValue value, AnalyzerKind analyzer) =>
        value switch
        {
            ModelValue.Text text when analyzer == AnalyzerKind.Exact => [Of(text.Value)],
            ModelValue.Text text when analyzer == AnalyzerKind.LowerCaseKeyword => [Of(text.Value.ToLowerInvariant())],
            ModelValue.Text text => text.Terms(analyzer).Select(Of),
            ModelValue.Number number => [Of((decimal)number.Value)],
            ModelValue.Fraction fraction => [Of(Exact(fraction.Value))],
            ModelValue.Null => [Null],
            _ => [EmptyArray],
        };

    /// <summary>In the order of columns: by kind, then by value.</summary>
    public int CompareTo(NaiveTerm? other)
    {
        int order = Rank.CompareTo(other!.Rank);
        if (order == 0)
            order = Number.CompareTo(other.Number);
        if (order == 0)
            order = IsCut.CompareTo(other.IsCut);
        return order != 0 ? order : Kept.AsSpan().SequenceCompareTo(other.Kept);
    }
}

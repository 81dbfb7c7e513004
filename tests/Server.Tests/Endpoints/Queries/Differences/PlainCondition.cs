using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.RegularExpressions;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>The conditions of docs/queries.md, evaluated document by document without any of the server's code.</summary>
internal static class PlainCondition
{
    public static bool AreEqual(PlainValue value, PlainValue wanted, bool isExact)
    {
        if (wanted.Kind == PlainKind.Null || value.Kind is PlainKind.Null or PlainKind.EmptyArray)
            return value.Kind == wanted.Kind;
        if (value.Kind == PlainKind.Number)
            return PlainNumber.Of(wanted.Text) is { } number && PlainNumber.Of(value.Text) is { } own && own.CompareTo(number) == 0;
        string text = Term(value.Text, isExact);
        return text == Term(wanted.Text, isExact) || (wanted.Kind == PlainKind.Number && text == Folded(Shortest(wanted.Text), isExact));
    }

    public static bool IsInside(PlainValue value, PlainValue? from, bool includesFrom, PlainValue? to, bool includesTo, bool isExact)
    {
        if (from is null && to is null)
            return value.Kind is PlainKind.Number or PlainKind.Text;
        if (value.Kind != (from ?? to)!.Value.Kind)
            return false;
        return (from is not { } low || Compare(value, low, isExact) is var a && (a > 0 || (a == 0 && includesFrom)))
            && (to is not { } high || Compare(value, high, isExact) is var b && (b < 0 || (b == 0 && includesTo)));
    }

    public static bool StartsWith(PlainValue value, string prefix, bool isExact) =>
        value.Kind == PlainKind.Text
        && Term(value.Text, isExact).StartsWith(Folded(prefix, isExact), StringComparison.Ordinal)
        && (!IsCut(value.Text, isExact) || Encoding.UTF8.GetByteCount(Folded(prefix, isExact)) <= 496);

    public static bool EndsWith(PlainValue value, string suffix, bool isExact) =>
        value.Kind == PlainKind.Text
        && !IsCut(value.Text, isExact)
        && Term(value.Text, isExact).EndsWith(Folded(suffix, isExact), StringComparison.Ordinal);

    public static bool Matches(PlainValue value, string pattern, bool isExact) =>
        value.Kind == PlainKind.Text
        && !IsCut(value.Text, isExact)
        && Regex.IsMatch(
            Term(value.Text, isExact),
            pattern,
            isExact ? RegexOptions.CultureInvariant : RegexOptions.CultureInvariant | RegexOptions.IgnoreCase
        );

    private static int Compare(PlainValue value, PlainValue end, bool isExact)
    {
        if (value.Kind == PlainKind.Number)
            return value.Number.CompareTo(end.Number);
        byte[] own = Encoding.UTF8.GetBytes(Term(value.Text, isExact));
        byte[] other = Encoding.UTF8.GetBytes(Term(end.Text, isExact));
        return own.Length > 512 && other.Length > 496
            ? own.AsSpan(0, 496).SequenceCompareTo(other.AsSpan(0, 496))
            : own.AsSpan().SequenceCompareTo(other);
    }

    /// <summary>A text as it is compared: a date as its moment.</summary>
    private static string Term(string text, bool isExact) => Folded(!isExact && PlainDate.Of(text) is { } moment ? moment : text, isExact);

    /// <summary>Lower case, character by character.</summary>
    public static string Folded(string text, bool isExact) =>
        isExact ? text : string.Concat(text.EnumerateRunes().Select(rune => Rune.ToLowerInvariant(rune).ToString()));

    /// <summary>Patterns do not see a term of more than 512 bytes.</summary>
    private static bool IsCut(string text, bool isExact) => Encoding.UTF8.GetByteCount(Folded(text, isExact)) > 512;

    private static string Shortest(string literal)
    {
        if (PlainNumber.Of(literal) is not { } number)
            return literal;
        return number.Integer is { } integer && BigInteger.Abs(integer) < BigInteger.Pow(2, 68)
            ? integer.ToString(CultureInfo.InvariantCulture)
            : number.Double.ToString("R", CultureInfo.InvariantCulture);
    }
}

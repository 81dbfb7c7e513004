using System.Globalization;
using System.Numerics;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>A number of JSON as docs/queries.md compares it: integers exactly, all others as double.</summary>
internal readonly record struct PlainNumber(double Double, BigInteger? Integer) : IComparable<PlainNumber>
{
    /// <summary>Null where the text is no number of JSON, or one beyond double.</summary>
    public static PlainNumber? Of(string text)
    {
        if (!System.Text.RegularExpressions.Regex.IsMatch(text, @"^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\z"))
            return null;
        double value = double.Parse(text, CultureInfo.InvariantCulture);
        if (double.IsInfinity(value))
            return null;
        if (BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer))
            return new PlainNumber((double)integer, integer);
        return new PlainNumber(value, double.IsInteger(value) ? new BigInteger(value) : null);
    }

    /// <summary>What stands in ranges for a number beyond double.</summary>
    public static PlainNumber Beyond(bool isNegative) => Of(isNegative ? "-1.7976931348623157E308" : "1.7976931348623157E308")!.Value;

    public int CompareTo(PlainNumber other) => Integer is { } a && other.Integer is { } b ? a.CompareTo(b) : Double.CompareTo(other.Double);
}

using System.Buffers.Text;
using System.Globalization;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Mapping;

/// <summary>Numbers of JSON, and of queries, as indexes compare them.</summary>
public static class JsonNumbers
{
    /// <summary>An integer of so many digits fits a long.</summary>
    private const int LongDigits = 18;

    /// <summary>Up to here each integer is a double of its own.</summary>
    private const long MaxExact = 1L << 53;

    /// <summary>2^69.</summary>
    private const double FirstWithoutRemainder = 590_295_810_358_705_651_712d;

    /// <summary>
    /// Reads a number's text. One beyond the range of double becomes its largest or smallest value, and <paramref name="isBeyondDouble"/>
    /// says so: it is indexed as its text too. False: it is no number.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> utf8, out SearchNumber number, out bool isBeyondDouble)
    {
        number = default;
        isBeyondDouble = false;
        if (IsInteger(utf8))
        {
            if (
                utf8.Length <= LongDigits
                && Utf8Parser.TryParse(utf8, out long small, out int read)
                && read == utf8.Length
                && small is >= -MaxExact and <= MaxExact
            )
            {
                number = new SearchNumber(small);
                return true;
            }
            if (Int128.TryParse(utf8, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var exact))
            {
                number = Exact(exact);
                return true;
            }
        }
        if (!double.TryParse(utf8, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) || double.IsNaN(value))
            return false;
        if (double.IsInfinity(value))
        {
            // The words for infinity are no numbers of JSON.
            if (!utf8.ContainsAnyInRange((byte)'0', (byte)'9'))
                return false;
            isBeyondDouble = true;
            value = value > 0 ? double.MaxValue : double.MinValue;
        }
        number = new SearchNumber(value);
        return true;
    }

    /// <summary>What the double does not hold of an integer. Beyond 2^69 two doubles are further apart than 16 bits can tell: there
    /// an integer counts as its double, whatever the distance, or some would be out of order.</summary>
    private static SearchNumber Exact(Int128 exact)
    {
        double value = (double)exact;
        if (Math.Abs(value) >= FirstWithoutRemainder)
            return new SearchNumber(value);
        var remainder = exact - (Int128)value;
        Storage.Invariant.Require(remainder >= short.MinValue && remainder <= short.MaxValue);
        return new SearchNumber(value, (short)remainder);
    }

    private static bool IsInteger(ReadOnlySpan<byte> utf8)
    {
        if (utf8.Length > 0 && utf8[0] == '-')
            utf8 = utf8[1..];
        return utf8.Length is > 0 and <= 38 && !utf8.ContainsAnyExceptInRange((byte)'0', (byte)'9');
    }
}

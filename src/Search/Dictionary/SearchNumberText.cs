using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Jackdaw.Search.Dictionary;

/// <summary>Numbers as JSON writes them.</summary>
internal static class SearchNumberText
{
    /// <summary>Characters of the longest text.</summary>
    public const int MaxBytes = 40;

    /// <summary>Doubles below are integers as long as a double knows them exactly.</summary>
    private const double GreatestExact = 1L << 53;

    public static string Of(SearchNumber number)
    {
        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        return double.IsFinite(number.Value) ? NumberKey.ToText(key[..NumberKey.Write(number, key)]) : number.Value.ToString("R", null);
    }

    /// <summary>Reads what <see cref="Of"/> has written.</summary>
    public static bool TryParse(string text, out SearchNumber number)
    {
        number = default;
        if (!double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) || !double.IsFinite(value))
            return false;
        bool isExact = BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var exact);
        var remainder = isExact ? exact - new BigInteger(value) : 0;
        if (remainder < short.MinValue || remainder > short.MaxValue)
            return false;
        number = new SearchNumber(value, (short)remainder);
        return true;
    }

    /// <summary>Writes the text of <see cref="NumberKey.ToText"/>; returns its length.</summary>
    public static int Write(ulong order, ushort distance, Span<byte> destination)
    {
        double value = NumberKey.DoubleOf(order);
        if (distance == 0 && Math.Abs(value) < GreatestExact && value == Math.Truncate(value))
        {
            Utf8Formatter.TryFormat((long)value, destination, out int written);
            return written;
        }
        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        BinaryPrimitives.WriteUInt64BigEndian(key, order);
        BinaryPrimitives.WriteUInt16BigEndian(key[sizeof(ulong)..], distance);
        return Encoding.UTF8.GetBytes(NumberKey.ToText(distance == 0 ? key[..sizeof(ulong)] : key), destination);
    }
}

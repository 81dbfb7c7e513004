using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using Jackdaw.Storage;

namespace Jackdaw.Search.Dictionary;

/// <summary>
/// Keys of numbers: the double below or at the number in order-preserving form, and for an integer between two doubles its distance to that
/// double. Layout: docs/search-format.md, "Keys of terms".
/// </summary>
internal static class NumberKey
{
    /// <summary>Bytes of the longest key.</summary>
    public const int MaxBytes = sizeof(ulong) + sizeof(ushort);

    private const ulong SignBit = 1UL << 63;

    /// <summary>Writes the key; returns its length. The number must be finite.</summary>
    public static int Write(SearchNumber number, Span<byte> destination)
    {
        var (order, rest) = Split(number);
        BinaryPrimitives.WriteUInt64BigEndian(destination, order);
        if (rest == 0)
            return sizeof(ulong);
        BinaryPrimitives.WriteUInt16BigEndian(destination[sizeof(ulong)..], rest);
        return MaxBytes;
    }

    /// <summary>The double as a number that compares as it does, and the distance. (Order, distance) compare as numbers do.</summary>
    public static (ulong Order, ushort Remainder) Split(SearchNumber number)
    {
        double value = number.Value;
        Invariant.Require(double.IsFinite(value), "an indexed number is finite");
        int rest = number.Remainder;
        if (rest < 0)
        {
            // From the double below on: the key of a number between two doubles is an extension of the lower one's.
            double below = Math.BitDecrement(value);
            rest += (int)(value - below);
            value = below;
        }
        Invariant.Require(rest >= 0 && (rest == 0 || rest < Math.BitIncrement(value) - value), "the remainder reaches the next double");
        return (OrderOf(value), (ushort)rest);
    }

    /// <summary>Doubles as numbers of 64 bits that compare as they do; −0 as 0.</summary>
    public static ulong OrderOf(double value)
    {
        ulong bits = BitConverter.DoubleToUInt64Bits(value == 0 ? 0 : value);
        return (bits & SignBit) != 0 ? ~bits : bits | SignBit;
    }

    /// <summary>The double of <see cref="OrderOf"/>.</summary>
    public static double DoubleOf(ulong order) => BitConverter.UInt64BitsToDouble((order & SignBit) != 0 ? order & ~SignBit : ~order);

    /// <summary>The double and the distance of a key.</summary>
    public static (ulong Order, ushort Remainder) Read(ReadOnlySpan<byte> key)
    {
        Invariant.Require(key.Length is sizeof(ulong) or MaxBytes);
        return (
            BinaryPrimitives.ReadUInt64BigEndian(key),
            key.Length == MaxBytes ? BinaryPrimitives.ReadUInt16BigEndian(key[sizeof(ulong)..]) : (ushort)0
        );
    }

    /// <summary>The number as JSON writes it.</summary>
    public static string ToText(ReadOnlySpan<byte> key)
    {
        var (order, rest) = Read(key);
        double value = DoubleOf(order);
        if (rest != 0)
            return (new BigInteger(value) + rest).ToString(CultureInfo.InvariantCulture);
        return Math.Abs(value) < 1e20 && value == Math.Truncate(value)
            ? new BigInteger(value).ToString(CultureInfo.InvariantCulture)
            : value.ToString("R", CultureInfo.InvariantCulture);
    }

    /// <summary>Says what makes a key impossible; null when nothing does.</summary>
    public static string? ProblemOf(ReadOnlySpan<byte> key)
    {
        if (key.Length is not (sizeof(ulong) or MaxBytes))
            return $"has {key.Length} bytes";
        var (order, rest) = Read(key);
        double value = DoubleOf(order);
        if (!double.IsFinite(value) || order == OrderOf(-0.0) && value != 0)
            return "is no finite number";
        bool isBetween = rest < Math.BitIncrement(value) - value && value == Math.Truncate(value);
        return key.Length == MaxBytes && (rest == 0 || !isBetween) ? $"has the distance {rest}" : null;
    }
}

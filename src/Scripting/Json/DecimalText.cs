using System.Buffers.Text;

namespace Jackdaw.Scripting.Json;

/// <summary>Numbers of JSON compared by their value as decimals, of any length.</summary>
internal static class DecimalText
{
    private const int StackDigits = 256;

    /// <summary>Decimal digits that every double keeps.</summary>
    public const int SafeDigits = 15;

    /// <summary>Whether going through a double would change the value: too many digits, or out of range.</summary>
    public static bool IsLossy(ReadOnlySpan<byte> number)
    {
        if (number.Length <= SafeDigits && !number.ContainsAny((byte)'e', (byte)'E'))
            return false;
        if (!Utf8Parser.TryParse(number, out double value, out int consumed) || consumed != number.Length || !double.IsFinite(value))
            return true;
        Span<byte> shortest = stackalloc byte[40];
        return !Utf8Formatter.TryFormat(value, shortest, out int written) || !AreEqual(number, shortest[..written]);
    }

    /// <summary>The same value? Zero has no sign here.</summary>
    public static bool AreEqual(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (left.SequenceEqual(right))
            return true;
        var leftDigits = left.Length <= StackDigits ? stackalloc byte[StackDigits] : new byte[left.Length];
        var rightDigits = right.Length <= StackDigits ? stackalloc byte[StackDigits] : new byte[right.Length];
        int leftCount = Normalize(left, leftDigits, out long leftExponent);
        int rightCount = Normalize(right, rightDigits, out long rightExponent);
        if (leftCount == 0 || rightCount == 0)
            return leftCount == rightCount;
        return leftExponent == rightExponent
            && (left[0] == '-') == (right[0] == '-')
            && leftDigits[..leftCount].SequenceEqual(rightDigits[..rightCount]);
    }

    /// <summary>The digits between the first and the last that is not zero, and the power of ten of the first; no digits for
    /// zero.</summary>
    private static int Normalize(ReadOnlySpan<byte> number, Span<byte> digits, out long exponent)
    {
        int count = 0;
        long point = 0;
        bool isFraction = false;
        exponent = 0;
        for (int i = 0; i < number.Length; i++)
        {
            byte c = number[i];
            if (c == '.')
                isFraction = true;
            else if (c is (byte)'e' or (byte)'E')
            {
                // An exponent beyond a long's range is compared as the end of that range: it is no double either.
                var text = number[(i + 1)..];
                if (text[0] == '+')
                    text = text[1..];
                exponent =
                    Utf8Parser.TryParse(text, out long parsed, out int consumed) && consumed == text.Length ? parsed
                    : text[0] == '-' ? long.MinValue / 2
                    : long.MaxValue / 2;
                break;
            }
            else if (c is >= (byte)'0' and <= (byte)'9')
            {
                if (count == 0 && c == '0')
                {
                    point -= isFraction ? 1 : 0;
                    continue;
                }
                digits[count++] = c;
                point += isFraction ? 0 : 1;
            }
        }
        exponent = Math.Clamp(exponent, long.MinValue / 2, long.MaxValue / 2) + point;
        while (count > 0 && digits[count - 1] == '0')
            count--;
        return count;
    }
}

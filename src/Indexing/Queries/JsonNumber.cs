using System.Globalization;
using System.Numerics;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Queries;

/// <summary>Numbers of JSON as indexes compare them.</summary>
internal static class JsonNumber
{
    /// <summary>Texts above this are texts only, however many digits they have.</summary>
    private const int MaxLength = 400;

    /// <summary>Reads a text that is a number by JSON's grammar, as a whole.</summary>
    public static bool TryParse(string text, out SearchNumber number)
    {
        number = default;
        if (text.Length is 0 or > MaxLength || !IsNumber(text, out bool isInteger))
            return false;
        double value = double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        if (!double.IsFinite(value))
            value = value > 0 ? double.MaxValue : double.MinValue;
        short remainder = 0;
        if (isInteger && Math.Abs(value) >= 1L << 53)
        {
            var rest = BigInteger.Parse(text, CultureInfo.InvariantCulture) - new BigInteger(value);
            if (rest >= short.MinValue && rest <= short.MaxValue)
                remainder = (short)rest;
        }
        number = new SearchNumber(value == 0 ? 0 : value, remainder);
        return true;
    }

    /// <summary>The digits of an integer, or the shortest text that gives the same double.</summary>
    public static string ShortestText(SearchNumber number)
    {
        if (double.IsInteger(number.Value) && Math.Abs(number.Value) < 1e21)
            return (new BigInteger(number.Value) + number.Remainder).ToString(CultureInfo.InvariantCulture);
        return number.Value.ToString("R", CultureInfo.InvariantCulture);
    }

    private static bool IsNumber(string text, out bool isInteger)
    {
        int at = text[0] == '-' ? 1 : 0;
        int digits = Digits(text, at);
        isInteger = false;
        if (digits == 0 || (digits > 1 && text[at] == '0'))
            return false;
        at += digits;
        isInteger = at == text.Length;
        if (at < text.Length && text[at] == '.')
        {
            int fraction = Digits(text, at + 1);
            if (fraction == 0)
                return false;
            at += 1 + fraction;
        }
        if (at < text.Length && text[at] is ('e' or 'E'))
        {
            at++;
            if (at < text.Length && text[at] is ('+' or '-'))
                at++;
            int exponent = Digits(text, at);
            if (exponent == 0)
                return false;
            at += exponent;
        }
        return at == text.Length;
    }

    private static int Digits(string text, int from)
    {
        int at = from;
        while (at < text.Length && char.IsAsciiDigit(text[at]))
            at++;
        return at - from;
    }
}

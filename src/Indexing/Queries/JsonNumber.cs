using System.Globalization;
using System.Numerics;
using System.Text;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Queries;

/// <summary>Numbers of JSON as indexes compare them.</summary>
internal static class JsonNumber
{
    /// <summary>Texts above this are texts only, however many digits they have.</summary>
    private const int MaxLength = 400;

    /// <summary>Reads a text that is a number by JSON's grammar, as a whole.</summary>
    /// <param name="text">The text.</param>
    /// <param name="number">The number.</param>
    /// <param name="isBeyondDouble">Only its text tells it from others of its kind.</param>
    /// <param name="maxLength">Characters of a text at most; a number that the query gives as one may have any.</param>
    public static bool TryParse(string text, out SearchNumber number, out bool isBeyondDouble, int maxLength = MaxLength)
    {
        number = default;
        isBeyondDouble = false;
        if (text.Length == 0 || text.Length > maxLength || !IsNumber(text))
            return false;
        return JsonNumbers.TryParse(Encoding.UTF8.GetBytes(text), out number, out isBeyondDouble);
    }

    /// <summary>The digits of an integer, or the shortest text that gives the same double.</summary>
    public static string ShortestText(SearchNumber number)
    {
        if (double.IsInteger(number.Value) && Math.Abs(number.Value) < 1e21)
            return (new BigInteger(number.Value) + number.Remainder).ToString(CultureInfo.InvariantCulture);
        return number.Value.ToString("R", CultureInfo.InvariantCulture);
    }

    private static bool IsNumber(string text)
    {
        int at = text[0] == '-' ? 1 : 0;
        int digits = Digits(text, at);
        if (digits == 0 || (digits > 1 && text[at] == '0'))
            return false;
        at += digits;
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

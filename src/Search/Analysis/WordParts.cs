using System.Globalization;
using System.Text;

namespace Jackdaw.Search.Analysis;

/// <summary>Tells what characters are to words.</summary>
internal static class WordParts
{
    private static readonly WordPart[] s_ascii = MakeAscii();

    public static WordPart OfAscii(byte character) => s_ascii[character];

    public static WordPart Of(Rune rune)
    {
        if (rune.IsAscii)
            return s_ascii[rune.Value];
        if (IsIdeograph(rune.Value))
            return WordPart.Ideograph;
        switch (rune.Value)
        {
            case 0x00B7 or 0x0387 or 0x05F4 or 0x2027 or 0xFE13 or 0xFE55 or 0xFF1A:
                return WordPart.BetweenLetters;
            case 0x2018 or 0x2019 or 0x2024 or 0xFE52 or 0xFF07 or 0xFF0E:
                return WordPart.BetweenAny;
            case 0x037E
            or 0x0589
            or 0x060C
            or 0x060D
            or 0x066C
            or 0x07F8
            or 0x2044
            or 0xFE10
            or 0xFE14
            or 0xFE50
            or 0xFE54
            or 0xFF0C
            or 0xFF1B:
                return WordPart.BetweenDigits;
            case 0x200C or 0x200D:
                return WordPart.Mark;
        }
        return Rune.GetUnicodeCategory(rune) switch
        {
            UnicodeCategory.UppercaseLetter
            or UnicodeCategory.LowercaseLetter
            or UnicodeCategory.TitlecaseLetter
            or UnicodeCategory.ModifierLetter
            or UnicodeCategory.OtherLetter
            or UnicodeCategory.LetterNumber => WordPart.Letter,
            UnicodeCategory.DecimalDigitNumber => WordPart.Digit,
            UnicodeCategory.ConnectorPunctuation => WordPart.Connector,
            UnicodeCategory.NonSpacingMark
            or UnicodeCategory.SpacingCombiningMark
            or UnicodeCategory.EnclosingMark
            or UnicodeCategory.Format => WordPart.Mark,
            _ => WordPart.None,
        };
    }

    /// <summary>Han and Hiragana, which write no spaces between words.</summary>
    private static bool IsIdeograph(int value) =>
        value
            is >= 0x3400
                and <= 0x4DBF
                or >= 0x4E00
                and <= 0x9FFF
                or >= 0xF900
                and <= 0xFAFF
                or >= 0x20000
                and <= 0x3FFFF
                or >= 0x3041
                and <= 0x3096
                or 0x3005
                or 0x3007;

    private static WordPart[] MakeAscii()
    {
        var parts = new WordPart[128];
        for (int i = 0; i < parts.Length; i++)
            parts[i] =
                char.IsAsciiLetter((char)i) ? WordPart.Letter
                : char.IsAsciiDigit((char)i) ? WordPart.Digit
                : WordPart.None;
        parts['_'] = WordPart.Connector;
        parts['.'] = parts['\''] = WordPart.BetweenAny;
        parts[':'] = WordPart.BetweenLetters;
        parts[','] = parts[';'] = WordPart.BetweenDigits;
        return parts;
    }
}

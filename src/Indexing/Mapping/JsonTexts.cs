using System.Buffers.Text;
using System.Text;

namespace Jackdaw.Indexing.Mapping;

/// <summary>Texts of JSON without their escapes.</summary>
internal static class JsonTexts
{
    /// <summary>Bytes of <c>\u0041</c>.</summary>
    private const int EscapedUnitBytes = 6;

    /// <summary>
    /// Writes the text between the quotes of a JSON string, and returns its bytes: no more than there were. Half of a surrogate pair,
    /// which JSON can write and UTF-8 cannot, becomes U+FFFD.
    /// </summary>
    /// <param name="escaped">A string that a JSON reader has accepted.</param>
    /// <param name="destination">At least as long.</param>
    public static int Unescape(ReadOnlySpan<byte> escaped, Span<byte> destination)
    {
        int written = 0;
        while (true)
        {
            int plain = escaped.IndexOf((byte)'\\');
            if (plain < 0)
            {
                escaped.CopyTo(destination[written..]);
                return written + escaped.Length;
            }
            escaped[..plain].CopyTo(destination[written..]);
            written += plain;
            escaped = escaped[plain..];
            if (escaped[1] == (byte)'u')
            {
                var rune = ReadRune(escaped, out int taken);
                written += rune.EncodeToUtf8(destination[written..]);
                escaped = escaped[taken..];
                continue;
            }
            destination[written++] = escaped[1] switch
            {
                (byte)'b' => (byte)'\b',
                (byte)'f' => (byte)'\f',
                (byte)'n' => (byte)'\n',
                (byte)'r' => (byte)'\r',
                (byte)'t' => (byte)'\t',
                var itself => itself,
            };
            escaped = escaped[2..];
        }
    }

    private static Rune ReadRune(ReadOnlySpan<byte> escaped, out int taken)
    {
        char first = UnitAt(escaped);
        taken = EscapedUnitBytes;
        if (Rune.TryCreate(first, out var rune))
            return rune;
        bool mayBePair = escaped.Length >= 2 * EscapedUnitBytes && escaped[EscapedUnitBytes..].StartsWith("\\u"u8);
        if (!mayBePair || !Rune.TryCreate(first, UnitAt(escaped[EscapedUnitBytes..]), out rune))
            return Rune.ReplacementChar;
        taken = 2 * EscapedUnitBytes;
        return rune;
    }

    private static char UnitAt(ReadOnlySpan<byte> escaped)
    {
        bool isUnit = Utf8Parser.TryParse(escaped[2..EscapedUnitBytes], out ushort unit, out int read, 'x') && read == 4;
        Storage.Invariant.Require(isUnit, "a JSON reader has let a malformed escape pass");
        return (char)unit;
    }
}

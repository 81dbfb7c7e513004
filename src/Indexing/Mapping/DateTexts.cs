using System.Text;
using Jackdaw.Documents.Json;

namespace Jackdaw.Indexing.Mapping;

/// <summary>
/// Texts that are dates, in one form for each moment, so that the order of bytes is the order of time. Which texts those are:
/// docs/queries.md, "Dates".
/// </summary>
internal static class DateTexts
{
    /// <summary>Bytes of the form: <c>yyyy-MM-ddTHH:mm:ss.fffffffZ</c>.</summary>
    public const int Length = ProtocolDate.Length + 1;

    private const int DayLength = 10;

    /// <summary>A day, a time with nine digits, and an offset.</summary>
    private const int MaxLength = 35;

    private const int SecondsLength = 19;

    /// <summary>The text may be a date: a cheap look, to be made at every text.</summary>
    public static bool MayBe(ReadOnlySpan<byte> utf8) =>
        utf8.Length is >= DayLength and <= MaxLength && utf8[4] == (byte)'-' && utf8[7] == (byte)'-';

    /// <summary>Writes the form of the date and returns true; returns false for a text that is none, and for one that has the form
    /// already.</summary>
    /// <param name="utf8">A text that <see cref="MayBe"/>.</param>
    /// <param name="destination">Of <see cref="Length"/> bytes.</param>
    public static bool TryWrite(ReadOnlySpan<byte> utf8, Span<byte> destination)
    {
        // A text of this shape is no date, or has the form: casing apart, which analyzers take away.
        bool hasForm =
            utf8.Length == Length && (utf8[^1] | 0x20) == 'z' && utf8[SecondsLength] == (byte)'.' && (utf8[DayLength] | 0x20) == 't';
        if (hasForm || !ProtocolDate.TryParse(utf8, out long ticks))
            return false;
        ProtocolDate.Format(ticks, destination, withZ: true);
        return true;
    }

    /// <summary>The text as indexes hold it: a date in its form, any other text as it is.</summary>
    public static string Of(string text)
    {
        if (text.Length is < DayLength or > MaxLength)
            return text;
        Span<byte> utf8 = stackalloc byte[3 * MaxLength];
        utf8 = utf8[..Encoding.UTF8.GetBytes(text, utf8)];
        Span<byte> form = stackalloc byte[Length];
        return MayBe(utf8) && TryWrite(utf8, form) ? Encoding.ASCII.GetString(form) : text;
    }
}

using System.Buffers.Text;

namespace Jackdaw.Documents.Json;

/// <summary>Dates as the protocol writes them: <c>yyyy-MM-ddTHH:mm:ss.fffffff</c>, always seven decimals.</summary>
public static class ProtocolDate
{
    /// <summary>Bytes of a date without the trailing <c>Z</c>.</summary>
    public const int Length = 27;

    /// <summary>Writes the date and, where asked, a <c>Z</c>; returns the bytes written. The span must hold them.</summary>
    public static int Format(long utcTicks, Span<byte> destination, bool withZ)
    {
        // The format 'O' of a DateTime of kind Utc is this very form with its Z.
        bool fits = withZ
            ? Utf8Formatter.TryFormat(new DateTime(utcTicks, DateTimeKind.Utc), destination, out int written, 'O')
            : Utf8Formatter.TryFormat(new DateTime(utcTicks, DateTimeKind.Unspecified), destination, out written, 'O');
        Storage.Invariant.Require(fits);
        return written;
    }

    /// <summary>Formats UTC ticks as the protocol does: seven decimals, with or without a final Z.</summary>
    public static string ToText(long utcTicks, bool withZ)
    {
        Span<byte> text = stackalloc byte[Length + 1];
        return System.Text.Encoding.ASCII.GetString(text[..Format(utcTicks, text, withZ)]);
    }
}

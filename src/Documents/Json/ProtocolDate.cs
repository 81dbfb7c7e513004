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

    /// <summary>
    /// Reads a date of ISO 8601: <c>yyyy-MM-dd</c>, then, if anything, <c>T</c> and <c>HH:mm</c>, <c>HH:mm:ss</c> or
    /// <c>HH:mm:ss.f</c> with up to nine decimals, then <c>Z</c>, an offset (<c>+02:00</c>, <c>+0200</c>, <c>+02</c>) or nothing,
    /// which is UTC. What lies between two ticks counts as the later one. An offset that leads out of the years 1 to 9999 gives
    /// their first or last tick.
    /// </summary>
    /// <param name="text">UTF-8.</param>
    /// <param name="utcTicks">The moment.</param>
    /// <returns>False: this is no date.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out long utcTicks) =>
        TryParseWritten(text, out utcTicks) || TryParseAny(text, out utcTicks);

    /// <summary>Reads what <see cref="Format"/> writes, which nearly all dates are: without a branch for each character.</summary>
    private static bool TryParseWritten(ReadOnlySpan<byte> text, out long utcTicks)
    {
        utcTicks = 0;
        if (text.Length != Length && (text.Length != Length + 1 || text[Length] != 'Z'))
            return false;
        int separators = (text[4] ^ '-') | (text[7] ^ '-') | (text[10] ^ 'T') | (text[13] ^ ':') | (text[16] ^ ':') | (text[19] ^ '.');
        // Negative once a character was no digit.
        int digits = 0;
        int year = (TwoDigits(text, 0, ref digits) * 100) + TwoDigits(text, 2, ref digits);
        int month = TwoDigits(text, 5, ref digits);
        int day = TwoDigits(text, 8, ref digits);
        int hour = TwoDigits(text, 11, ref digits);
        int minute = TwoDigits(text, 14, ref digits);
        int second = TwoDigits(text, 17, ref digits);
        int fraction =
            (TwoDigits(text, 20, ref digits) * 10_000) + (TwoDigits(text, 22, ref digits) * 100) + TwoDigits(text, 24, ref digits);
        int last = text[26] - '0';
        digits |= last | (9 - last);
        if (separators != 0 || digits < 0 || year == 0 || month is 0 or > 12 || hour > 23 || minute > 59 || second > 59)
            return false;
        if (day == 0 || day > DateTime.DaysInMonth(year, month))
            return false;
        utcTicks =
            new DateTime(year, month, day, 0, 0, 0, DateTimeKind.Utc).Ticks
            + ((((hour * 60) + minute) * 60L) + second) * TimeSpan.TicksPerSecond
            + (fraction * 10)
            + last;
        return true;
    }

    private static int TwoDigits(ReadOnlySpan<byte> text, int at, ref int digits)
    {
        int tens = text[at] - '0';
        int ones = text[at + 1] - '0';
        digits |= tens | ones | (9 - tens) | (9 - ones);
        return (tens * 10) + ones;
    }

    private static bool TryParseAny(ReadOnlySpan<byte> text, out long utcTicks)
    {
        utcTicks = 0;
        if (
            !TryTake(ref text, 4, out int year)
            || !TryTake(ref text, (byte)'-')
            || !TryTake(ref text, 2, out int month)
            || !TryTake(ref text, (byte)'-')
            || !TryTake(ref text, 2, out int day)
            || year == 0
            || month is 0 or > 12
            || day == 0
            || day > DateTime.DaysInMonth(year, month)
        )
            return false;
        long ticks = new DateTime(year, month, day, 0, 0, 0, DateTimeKind.Utc).Ticks;
        if (!text.IsEmpty)
        {
            if (text[0] is not ((byte)'T' or (byte)'t' or (byte)' '))
                return false;
            text = text[1..];
            if (!TryTakeTime(ref text, out long time) || !TryTakeOffset(ref text, out long offset) || !text.IsEmpty)
                return false;
            ticks += time - offset;
        }
        utcTicks = Math.Clamp(ticks, 0, DateTime.MaxValue.Ticks);
        return true;
    }

    private static bool TryTakeTime(ref ReadOnlySpan<byte> text, out long ticks)
    {
        ticks = 0;
        if (!TryTake(ref text, 2, out int hour) || !TryTake(ref text, (byte)':') || !TryTake(ref text, 2, out int minute))
            return false;
        int second = 0;
        if (TryTake(ref text, (byte)':'))
        {
            if (!TryTake(ref text, 2, out second))
                return false;
            if (TryTake(ref text, (byte)'.') && !TryTakeFraction(ref text, out ticks))
                return false;
        }
        if (hour > 23 || minute > 59 || second > 59)
            return false;
        ticks += (hour * TimeSpan.TicksPerHour) + (minute * TimeSpan.TicksPerMinute) + (second * TimeSpan.TicksPerSecond);
        return true;
    }

    private static bool TryTakeFraction(ref ReadOnlySpan<byte> text, out long ticks)
    {
        const int MostDigits = 9;
        long nanoseconds = 0;
        int digits = 0;
        while (digits < text.Length && text[digits] is >= (byte)'0' and <= (byte)'9')
        {
            if (digits == MostDigits)
                break;
            nanoseconds = (nanoseconds * 10) + text[digits++] - '0';
        }
        text = text[digits..];
        for (int missing = digits; missing < MostDigits; missing++)
            nanoseconds *= 10;
        ticks = (nanoseconds + 99) / 100;
        return digits > 0;
    }

    private static bool TryTakeOffset(ref ReadOnlySpan<byte> text, out long ticks)
    {
        ticks = 0;
        if (text.IsEmpty)
            return true;
        int sign = text[0] switch
        {
            (byte)'+' => 1,
            (byte)'-' => -1,
            _ => 0,
        };
        bool isZ = text[0] is (byte)'Z' or (byte)'z';
        text = text[1..];
        if (sign == 0)
            return isZ;
        if (!TryTake(ref text, 2, out int hours))
            return false;
        int minutes = 0;
        if ((TryTake(ref text, (byte)':') || !text.IsEmpty) && !TryTake(ref text, 2, out minutes))
            return false;
        if (hours > 23 || minutes > 59)
            return false;
        ticks = sign * ((hours * TimeSpan.TicksPerHour) + (minutes * TimeSpan.TicksPerMinute));
        return true;
    }

    private static bool TryTake(ref ReadOnlySpan<byte> text, byte expected)
    {
        if (text.IsEmpty || text[0] != expected)
            return false;
        text = text[1..];
        return true;
    }

    private static bool TryTake(ref ReadOnlySpan<byte> text, int digits, out int number)
    {
        number = 0;
        if (text.Length < digits)
            return false;
        foreach (byte digit in text[..digits])
        {
            if (digit is < (byte)'0' or > (byte)'9')
                return false;
            number = (number * 10) + digit - '0';
        }
        text = text[digits..];
        return true;
    }
}

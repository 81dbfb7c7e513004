using System.Globalization;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// A distance in time as <c>now()</c> takes it: <c>[+|-]N(y)N(mo)N(d)N(h)N(m)N(s)</c>, each unit at most once and in this order, as the
/// official clients document it.
/// </summary>
internal readonly struct TimeOffset
{
    /// <summary>The names of each unit, from years to seconds.</summary>
    private static readonly string[][] s_units =
    [
        ["y", "year", "years"],
        ["mo", "month", "months"],
        ["d", "day", "days"],
        ["h", "hour", "hours"],
        ["m", "min", "minute", "minutes"],
        ["s", "sec", "second", "seconds"],
    ];

    /// <summary>How many of each unit, the sign included.</summary>
    private readonly int[] _counts;

    /// <summary>The place of the smallest unit that is named.</summary>
    private readonly int _smallest;

    private TimeOffset(int[] counts, int smallest)
    {
        _counts = counts;
        _smallest = smallest;
    }

    public static bool TryParse(string text, out TimeOffset offset)
    {
        offset = default;
        var rest = text.AsSpan().Trim();
        int sign = rest.StartsWith("-") ? -1 : 1;
        if (rest.StartsWith("-") || rest.StartsWith("+"))
            rest = rest[1..].TrimStart();
        var counts = new int[s_units.Length];
        int last = -1;
        while (!rest.IsEmpty)
        {
            if (!TryTake(ref rest, char.IsAsciiDigit, out var digits) || !TryTake(ref rest, char.IsAsciiLetter, out var name))
                return false;
            int unit = UnitOf(name);
            if (unit <= last || !int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int count))
                return false;
            counts[unit] = sign * count;
            last = unit;
        }
        offset = new TimeOffset(counts, last);
        return last >= 0;
    }

    /// <summary>Moves a moment, and rounds it down to the smallest unit of the offset. False where it leaves the calendar.</summary>
    public bool TryApply(DateTime moment, out DateTime moved)
    {
        moved = default;
        try
        {
            moved = moment
                .AddMonths(checked((_counts[0] * 12) + _counts[1]))
                .AddDays(_counts[2])
                .AddHours(_counts[3])
                .AddMinutes(_counts[4])
                .AddSeconds(_counts[5]);
        }
        catch (Exception beyond) when (beyond is ArgumentOutOfRangeException or OverflowException)
        {
            return false;
        }
        moved = _smallest switch
        {
            0 => new DateTime(moved.Year, 1, 1, 0, 0, 0, DateTimeKind.Utc),
            1 => new DateTime(moved.Year, moved.Month, 1, 0, 0, 0, DateTimeKind.Utc),
            2 => moved.Date,
            3 => RoundedDown(moved, TimeSpan.TicksPerHour),
            4 => RoundedDown(moved, TimeSpan.TicksPerMinute),
            _ => RoundedDown(moved, TimeSpan.TicksPerSecond),
        };
        return true;
    }

    private static DateTime RoundedDown(DateTime moment, long ticks) => new(moment.Ticks - moment.Ticks % ticks, DateTimeKind.Utc);

    private static int UnitOf(ReadOnlySpan<char> name)
    {
        for (int i = 0; i < s_units.Length; i++)
        {
            foreach (var known in s_units[i])
            {
                if (name.Equals(known, StringComparison.OrdinalIgnoreCase))
                    return i;
            }
        }
        return -1;
    }

    /// <summary>Takes the characters of a kind at the beginning, and the blanks behind them.</summary>
    private static bool TryTake(ref ReadOnlySpan<char> rest, Func<char, bool> isOfKind, out ReadOnlySpan<char> taken)
    {
        int length = 0;
        while (length < rest.Length && isOfKind(rest[length]))
            length++;
        taken = rest[..length];
        rest = rest[length..].TrimStart();
        return length > 0;
    }
}

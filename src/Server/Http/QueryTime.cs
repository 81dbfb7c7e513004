using System.Globalization;

namespace Jackdaw.Server.Http;

/// <summary>A time as clients give it: a number of milliseconds, or the text of a TimeSpan.</summary>
internal static class QueryTime
{
    /// <exception cref="BadRequestException">It is neither.</exception>
    public static TimeSpan Of(string name, string text)
    {
        // A bare number would be a number of days to TimeSpan's parser.
        if (double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var ms) && ms is >= 0 and <= int.MaxValue)
            return TimeSpan.FromMilliseconds(ms);
        if (TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time) && time >= TimeSpan.Zero && text.Contains(':'))
            return time.TotalMilliseconds <= int.MaxValue ? time : TimeSpan.FromMilliseconds(int.MaxValue);
        throw new BadRequestException(
            $"{name} must be a number of milliseconds, at most 24 days, or a time such as \"00:00:15\", not '{text}'."
        );
    }
}

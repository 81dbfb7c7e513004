using System.Globalization;
using System.Net.Http.Headers;

namespace Jackdaw.Etl.Sinks;

/// <summary>The pause that an HTTP answer asks for.</summary>
internal static class RetryPause
{
    /// <summary>Null when it asks for none, or for one that has passed.</summary>
    public static TimeSpan? Of(HttpResponseHeaders headers, TimeProvider clock)
    {
        if (headers.RetryAfter is not { } header)
            return null;
        return Positive(header.Delta ?? header.Date - clock.GetUtcNow());
    }

    /// <summary>Of a header's text, seconds or a date. Null likewise, and when the text is neither.</summary>
    public static TimeSpan? Of(string? text, TimeProvider clock)
    {
        if (!RetryConditionHeaderValue.TryParse(text, out var header))
            return null;
        return Positive(header.Delta ?? header.Date - clock.GetUtcNow());
    }

    /// <summary>Of a header's text, milliseconds.</summary>
    public static TimeSpan? OfMilliseconds(string? text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int milliseconds)
            ? Positive(TimeSpan.FromMilliseconds(milliseconds))
            : null;

    private static TimeSpan? Positive(TimeSpan? pause) => pause > TimeSpan.Zero ? pause : null;
}

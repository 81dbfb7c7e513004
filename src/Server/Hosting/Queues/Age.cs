using System.Globalization;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>How long ago something was, for people.</summary>
internal static class Age
{
    /// <summary>Two units at most: <c>3 d 4 h</c>.</summary>
    public static string Of(TimeSpan span)
    {
        var parts = new (int Number, string Unit)[]
        {
            ((int)span.TotalDays, "d"),
            (span.Hours, "h"),
            (span.Minutes, "min"),
            (span.Seconds, "s"),
        };
        var first = Array.FindIndex(parts, part => part.Number > 0);
        return first < 0
            ? "0 s"
            : string.Join(
                ' ',
                parts
                    .Skip(first)
                    .Take(2)
                    .Where(part => part.Number > 0)
                    .Select(part => string.Create(CultureInfo.InvariantCulture, $"{part.Number} {part.Unit}"))
            );
    }
}

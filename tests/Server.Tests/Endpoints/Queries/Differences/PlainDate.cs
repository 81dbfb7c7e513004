using System.Globalization;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>The dates of docs/queries.md among the texts of random documents.</summary>
internal static class PlainDate
{
    private static readonly string[] s_forms =
    [
        "yyyy-MM-dd",
        "yyyy-MM-dd'T'HH:mmK",
        "yyyy-MM-dd'T'HH:mm:ssK",
        "yyyy-MM-dd' 'HH:mm:ssK",
        "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK",
    ];

    /// <summary>The form that a moment has among texts; null for a text that is no date.</summary>
    public static string? Of(string text) =>
        DateTimeOffset.TryParseExact(text, s_forms, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var moment)
            ? moment.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", CultureInfo.InvariantCulture)
            : null;
}

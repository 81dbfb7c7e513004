using System.Globalization;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Http;

/// <summary>Headers that carry etags and change vectors, with or without quotes around them.</summary>
internal static class HeaderValues
{
    /// <summary>The change vector of If-Match; null without the header, empty for <c>""</c>.</summary>
    public static string? ChangeVector(StringValues ifMatch)
    {
        if (ifMatch.Count == 0)
            return null;
        var text = ifMatch.ToString();
        return text is "null" or "*" ? null : Unquoted(text);
    }

    /// <summary>The expected etag of a database record; 0 when the record must be new (absent, <c>undefined</c>, <c>null</c>).</summary>
    /// <exception cref="BadRequestException">It is no number.</exception>
    public static long RecordEtag(StringValues etag)
    {
        var text = Unquoted(etag.ToString());
        if (text is "" or "undefined" or "null")
            return 0;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new BadRequestException($"The ETag of a database record is a number, not '{text}'.");
    }

    private static string Unquoted(string text) => text.Length >= 2 && text[0] == '"' && text[^1] == '"' ? text[1..^1] : text;
}

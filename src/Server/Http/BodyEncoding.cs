using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Http;

/// <summary>Reads the Content-Encoding of a request.</summary>
internal static class BodyEncoding
{
    /// <summary>True for gzip, false for none.</summary>
    /// <exception cref="UnsupportedEncodingException">Anything else.</exception>
    public static bool IsGzip(HttpRequest request)
    {
        var encoding = request.Headers.ContentEncoding;
        if (encoding.Count == 0)
            return false;
        var text = encoding.ToString();
        if (text.Length == 0 || text.Equals("identity", StringComparison.OrdinalIgnoreCase))
            return false;
        return text.Equals("gzip", StringComparison.OrdinalIgnoreCase) ? true : throw new UnsupportedEncodingException(text);
    }
}

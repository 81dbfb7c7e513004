using System.IO.Compression;
using Jackdaw.Server.Http.Compression;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Http;

/// <summary>Reads the Content-Encoding of a request.</summary>
internal static class BodyEncoding
{
    /// <summary>Returns the coding of the request's body.</summary>
    /// <exception cref="UnsupportedEncodingException">It is one that this server cannot read.</exception>
    public static ContentCoding Of(HttpRequest request)
    {
        var encoding = request.Headers.ContentEncoding;
        if (encoding.Count == 0)
            return ContentCoding.None;
        var text = encoding.ToString();
        if (text.Length == 0 || text.Equals("identity", StringComparison.OrdinalIgnoreCase))
            return ContentCoding.None;
        if (text.Equals("gzip", StringComparison.OrdinalIgnoreCase))
            return ContentCoding.Gzip;
        if (text.Equals("zstd", StringComparison.OrdinalIgnoreCase))
            return ZstdLibrary.IsAvailable
                ? ContentCoding.Zstd
                : throw new UnsupportedEncodingException(text, $"this machine lacks the package {ZstdLibrary.PackageName}");
        throw new UnsupportedEncodingException(text);
    }

    /// <summary>Returns a stream of the decompressed body, which throws <see cref="InvalidDataException"/> where it is damaged; null
    /// when the body is not compressed.</summary>
    /// <exception cref="UnsupportedEncodingException">The coding is one that this server cannot read.</exception>
    public static Stream? Decompressing(HttpRequest request) =>
        Of(request) switch
        {
            ContentCoding.Gzip => new GZipStream(request.Body, CompressionMode.Decompress, leaveOpen: true),
            ContentCoding.Zstd => new ZstdDecompressionStream(request.Body),
            _ => null,
        };
}

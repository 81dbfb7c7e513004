using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>Builds the bytes of PUT, POST and GET requests.</summary>
internal static class RequestBytes
{
    public static byte[] Put(Uri url, string pathAndQuery, ReadOnlySpan<byte> body) => WithBody("PUT", url, pathAndQuery, body);

    public static byte[] Post(Uri url, string pathAndQuery, ReadOnlySpan<byte> body) => WithBody("POST", url, pathAndQuery, body);

    public static byte[] Get(Uri url, string pathAndQuery) =>
        Encoding.ASCII.GetBytes($"GET {pathAndQuery} HTTP/1.1\r\nHost: {url.Authority}\r\n\r\n");

    private static byte[] WithBody(string method, Uri url, string pathAndQuery, ReadOnlySpan<byte> body) =>
        [
            .. Encoding.ASCII.GetBytes(
                $"{method} {pathAndQuery} HTTP/1.1\r\nHost: {url.Authority}\r\nContent-Type: "
                    + $"application/json\r\nContent-Length: {body.Length}\r\n\r\n"
            ),
            .. body,
        ];
}

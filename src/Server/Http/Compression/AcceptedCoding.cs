using System.Globalization;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Http.Compression;

/// <summary>Reads <c>Accept-Encoding</c> (RFC 9110, 12.5.3).</summary>
internal static class AcceptedCoding
{
    private const double Unnamed = -1;

    /// <summary>
    /// Returns the coding that the client prefers of those that this server has: zstd where it is wanted as much as gzip. An asterisk
    /// stands for gzip, because not every client that sends it knows zstd.
    /// </summary>
    public static ContentCoding Choose(StringValues acceptEncoding)
    {
        if (acceptEncoding.Count == 0)
            return ContentCoding.None;
        double gzip = Unnamed;
        double zstd = Unnamed;
        double identity = Unnamed;
        double others = Unnamed;
        foreach (var value in acceptEncoding)
        foreach (var range in value.AsSpan().Split(','))
        {
            var element = value.AsSpan()[range].Trim();
            var semicolon = element.IndexOf(';');
            var name = semicolon < 0 ? element : element[..semicolon].TrimEnd();
            var weight = semicolon < 0 ? 1 : Weight(element[(semicolon + 1)..]);
            if (Is(name, "gzip") || Is(name, "x-gzip"))
                gzip = weight;
            else if (Is(name, "zstd"))
                zstd = weight;
            else if (Is(name, "identity"))
                identity = weight;
            else if (name is "*")
                others = weight;
        }
        if (gzip == Unnamed)
            gzip = others;
        if (!ZstdLibrary.IsAvailable)
            zstd = Unnamed;
        var best = Math.Max(gzip, zstd);
        if (best <= 0 || identity > best)
            return ContentCoding.None;
        return zstd == best ? ContentCoding.Zstd : ContentCoding.Gzip;
    }

    private static bool Is(ReadOnlySpan<char> name, string expected) => name.Equals(expected, StringComparison.OrdinalIgnoreCase);

    /// <summary>The value of <c>q=0.5</c>; 0 for what is malformed, so that nobody gets what they did not clearly ask for.</summary>
    private static double Weight(ReadOnlySpan<char> parameter)
    {
        parameter = parameter.Trim();
        return
            parameter.StartsWith("q=", StringComparison.OrdinalIgnoreCase)
            && double.TryParse(parameter[2..], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var weight)
            ? weight
            : 0;
    }
}

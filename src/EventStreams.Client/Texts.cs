using System.Text;
using Jackdaw.EventStreams.Client.Errors;

namespace Jackdaw.EventStreams.Client;

/// <summary>The server's rules for texts.</summary>
internal static class Texts
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The id as a part of a query string.</summary>
    /// <exception cref="InvalidAppendException">No stream can have it.</exception>
    public static string StreamQuery(string id)
    {
        RequireStream(id);
        return "stream=" + Uri.EscapeDataString(id);
    }

    /// <exception cref="InvalidAppendException">No stream can have this id.</exception>
    public static int RequireStream(string id)
    {
        ArgumentNullException.ThrowIfNull(id);
        return id.Length > 0
            ? Require(id, "The stream id")
            : throw new InvalidAppendException($"The stream id is empty; it has 1 to {ClientLimits.MaxTextBytes:N0} bytes.");
    }

    /// <summary>A limit as errors tell it.</summary>
    public static string Size(long bytes) => bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? $"{bytes >> 20:N0} MB" : $"{bytes:N0} bytes";

    /// <summary>The number of its bytes.</summary>
    /// <exception cref="InvalidAppendException">They are too many, or half of a surrogate pair is missing.</exception>
    public static int Require(string text, in TextPlace what)
    {
        int bytes;
        try
        {
            bytes = Strict.GetByteCount(text);
        }
        catch (EncoderFallbackException e)
        {
            throw new InvalidAppendException($"{what} is no valid text: {e.Message}");
        }
        return bytes <= ClientLimits.MaxTextBytes
            ? bytes
            : throw new InvalidAppendException($"{what} has {bytes:N0} bytes; the limit is {ClientLimits.MaxTextBytes:N0}.");
    }
}

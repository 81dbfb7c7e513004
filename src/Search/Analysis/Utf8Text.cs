using System.Buffers;
using System.Text;

namespace Jackdaw.Search.Analysis;

/// <summary>UTF-8 made valid and lower-case, without allocating.</summary>
internal static class Utf8Text
{
    /// <summary>Bytes that so many can become: an invalid byte becomes the three of U+FFFD.</summary>
    public static int MaxMappedBytes(int bytes) => checked(3 * bytes);

    /// <summary>Writes the text in lower case by the invariant simple mapping; returns how many bytes.</summary>
    public static int ToLower(ReadOnlySpan<byte> utf8, Span<byte> destination)
    {
        int written = 0;
        while (!utf8.IsEmpty)
        {
            // Stops at the first byte that is not ASCII.
            if (Ascii.ToLower(utf8, destination[written..], out int ascii) == OperationStatus.Done)
                return written + ascii;
            written += ascii;
            utf8 = utf8[ascii..];
            Rune.DecodeFromUtf8(utf8, out var rune, out int consumed);
            written += Rune.ToLowerInvariant(rune).EncodeToUtf8(destination[written..]);
            utf8 = utf8[consumed..];
        }
        return written;
    }

    /// <summary>Writes the text with U+FFFD for whatever is invalid; returns how many bytes.</summary>
    public static int MakeValid(ReadOnlySpan<byte> utf8, Span<byte> destination)
    {
        int written = 0;
        while (!utf8.IsEmpty)
        {
            Rune.DecodeFromUtf8(utf8, out var rune, out int consumed);
            written += rune.EncodeToUtf8(destination[written..]);
            utf8 = utf8[consumed..];
        }
        return written;
    }
}

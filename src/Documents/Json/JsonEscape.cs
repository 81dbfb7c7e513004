using System.Buffers;

namespace Jackdaw.Documents.Json;

/// <summary>Text inside a JSON string.</summary>
public static class JsonEscape
{
    /// <summary>The first byte of U+0080 to U+00BF in UTF-8; those up to U+009F are control characters.</summary>
    private const byte C1Lead = 0xC2;

    /// <summary>Bytes that one byte of a text becomes at most.</summary>
    internal const int LongestEscape = 6;

    private static readonly SearchValues<byte> s_special = SearchValues.Create([
        C1Lead,
        .. "\"\\\0\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u0009\u000A\u000B\u000C\u000D\u000E\u000F"u8,
        .. "\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001A\u001B\u001C\u001D\u001E\u001F\u007F"u8,
    ]);

    /// <summary>Writes UTF-8 text escaped (quotes, backslashes, control characters; all else as it is), without the quotes around
    /// it.</summary>
    public static void Write(ReadOnlySpan<byte> text, IBufferWriter<byte> output) => Write(text, ref output);

    /// <summary>As the other one, into any kind of output.</summary>
    internal static void Write<TOutput>(ReadOnlySpan<byte> text, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        while (true)
        {
            int plain = text.IndexOfAny(s_special);
            var run = plain < 0 ? text : text[..plain];
            run.CopyTo(output.GetSpan(run.Length));
            output.Advance(run.Length);
            if (plain < 0)
                return;
            if (text[plain] != C1Lead)
                WriteEscaped(text[plain], ref output);
            else if (plain + 1 < text.Length && text[plain + 1] < 0xA0)
                WriteEscaped(text[++plain], ref output);
            else
            {
                output.GetSpan(1)[0] = C1Lead;
                output.Advance(1);
            }
            text = text[(plain + 1)..];
        }
    }

    private static void WriteEscaped<TOutput>(byte character, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        var destination = output.GetSpan(LongestEscape);
        destination[0] = (byte)'\\';
        if (character is (byte)'"' or (byte)'\\')
        {
            destination[1] = character;
            output.Advance(2);
            return;
        }
        "u00"u8.CopyTo(destination[1..]);
        destination[4] = "0123456789abcdef"u8[character >> 4];
        destination[5] = "0123456789abcdef"u8[character & 0xF];
        output.Advance(LongestEscape);
    }
}

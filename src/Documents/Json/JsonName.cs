using System.Buffers.Text;
using System.Text.Json;

namespace Jackdaw.Documents.Json;

/// <summary>
/// Compares member names. The reader's own comparison throws on a name that holds half a surrogate pair as an escape, which JSON
/// allows and we keep.
/// </summary>
internal static class JsonName
{
    /// <summary>Is the name that the reader stands on this one? <paramref name="name"/> is ASCII without characters that need
    /// escaping.</summary>
    public static bool Is(ref readonly Utf8JsonReader reader, ReadOnlySpan<byte> name) =>
        reader.ValueIsEscaped ? IsEscaped(reader.ValueSpan, name) : reader.ValueSpan.SequenceEqual(name);

    private static bool IsEscaped(ReadOnlySpan<byte> raw, ReadOnlySpan<byte> name)
    {
        foreach (byte expected in name)
        {
            if (raw.IsEmpty)
                return false;
            if (raw[0] != (byte)'\\')
            {
                if (raw[0] != expected)
                    return false;
                raw = raw[1..];
                continue;
            }
            // Of the short escapes only \/ stands for what a name of ours may hold.
            if (raw[1] != (byte)'u')
            {
                if (raw[1] != (byte)'/' || expected != (byte)'/')
                    return false;
                raw = raw[2..];
                continue;
            }
            if (!Utf8Parser.TryParse(raw.Slice(2, 4), out ushort unit, out _, 'x') || unit != expected)
                return false;
            raw = raw[6..];
        }
        return raw.IsEmpty;
    }
}

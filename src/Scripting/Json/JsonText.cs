using System.Globalization;
using System.Text;

namespace Jackdaw.Scripting.Json;

/// <summary>Texts of scripts and of JSON as UTF-16, which may hold half surrogate pairs; the framework's reader and writer refuse
/// these.</summary>
public static class JsonText
{
    /// <summary>The text with U+FFFD for each half surrogate pair.</summary>
    public static string WithoutHalfPairs(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.AsSpan().ContainsAnyInRange('\uD800', '\uDFFF') ? Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text)) : text;
    }

    /// <summary>Of a valid JSON text, without its quotes.</summary>
    internal static string Unescape(ReadOnlySpan<byte> raw)
    {
        if (!raw.Contains((byte)'\\'))
            return Encoding.UTF8.GetString(raw);
        var text = new StringBuilder(raw.Length);
        while (!raw.IsEmpty)
        {
            int escape = raw.IndexOf((byte)'\\');
            if (escape < 0)
            {
                text.Append(Encoding.UTF8.GetString(raw));
                break;
            }
            text.Append(Encoding.UTF8.GetString(raw[..escape]));
            byte kind = raw[escape + 1];
            if (kind == 'u')
            {
                text.Append((char)ushort.Parse(raw.Slice(escape + 2, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                raw = raw[(escape + 6)..];
                continue;
            }
            text.Append(
                kind switch
                {
                    (byte)'n' => '\n',
                    (byte)'r' => '\r',
                    (byte)'t' => '\t',
                    (byte)'b' => '\b',
                    (byte)'f' => '\f',
                    _ => (char)kind,
                }
            );
            raw = raw[(escape + 2)..];
        }
        return text.ToString();
    }
}

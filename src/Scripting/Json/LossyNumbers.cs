using System.Buffers;
using System.Runtime.Intrinsics;
using System.Text;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting.Json;

/// <summary>
/// Hands JSON to scripts such that numbers which a double cannot hold come back as they were: each is replaced by a marked text,
/// out of which the realm's
/// <c>json.parse</c> makes a Number object that <c>JSON.stringify</c> writes as the original digits. Documents without such
/// numbers, nearly all, are handed over as they are.
/// </summary>
internal static class LossyNumbers
{
    /// <summary>Before a JSON text that has marked numbers.</summary>
    private const byte HasMarks = 1;

    private static readonly SearchValues<byte> s_quoteOrNumber = SearchValues.Create("\"-0123456789"u8);
    private static readonly SearchValues<byte> s_number = SearchValues.Create("-+.eE0123456789"u8);

    /// <summary>Begins the text of a marked number. Not to be guessed, so no text of a document is taken for one.</summary>
    public static string Mark { get; } = $"\uE000{Guid.NewGuid():N}:";

    private static readonly byte[] s_mark = Encoding.UTF8.GetBytes(Mark);

    /// <summary>The JSON as a value for the realm's <c>json.parse</c>.</summary>
    public static nint MakeValue(nint context, ReadOnlySpan<byte> json) =>
        NativeText.MakeValue(context, HasAny(json) ? MarkAll(json) : json);

    /// <summary>Whether there is a number in it that a double cannot hold.</summary>
    internal static bool HasAny(ReadOnlySpan<byte> json)
    {
        int at = 0;
        return MayHaveAny(json) && TryFindNext(json, ref at, out _);
    }

    /// <summary>
    /// False when no number in it can be lossy: one has more characters than <see cref="DecimalText.SafeDigits"/> in a row, or an
    /// exponent. A quick look that most documents pass.
    /// </summary>
    internal static bool MayHaveAny(ReadOnlySpan<byte> json)
    {
        const int Step = DecimalText.SafeDigits + 1;
        // A run that is long enough covers one of these places.
        for (int at = Step - 1; at < json.Length; at += Step)
        {
            if (!s_number.Contains(json[at]))
                continue;
            int before = json[(at - Step + 1)..at].LastIndexOfAnyExcept(s_number);
            int after = json[at..Math.Min(json.Length, at + Step)].IndexOfAnyExcept(s_number);
            if ((before < 0 ? Step - 1 : Step - 2 - before) + (after < 0 ? Step : after) >= Step)
                return true;
        }
        int start = 1;
        for (; Vector256.IsHardwareAccelerated && start + Vector256<byte>.Count <= json.Length; start += Vector256<byte>.Count)
        {
            var isExponent = Vector256.Equals(Vector256.Create(json[start..]) | Vector256.Create((byte)0x20), Vector256.Create((byte)'e'));
            var isDigit = Vector256.LessThan(
                Vector256.Create(json[(start - 1)..]) - Vector256.Create((byte)'0'),
                Vector256.Create((byte)10)
            );
            if ((isExponent & isDigit) != Vector256<byte>.Zero)
                return true;
        }
        for (; start < json.Length; start++)
            if ((json[start] | 0x20) == 'e' && char.IsAsciiDigit((char)json[start - 1]))
                return true;
        return false;
    }

    internal static byte[] MarkAll(ReadOnlySpan<byte> json)
    {
        var marked = new ArrayBufferWriter<byte>(json.Length + 256);
        marked.Write([HasMarks]);
        int copied = 0;
        int at = 0;
        while (TryFindNext(json, ref at, out int length))
        {
            marked.Write(json[copied..at]);
            marked.Write("\""u8);
            marked.Write(s_mark);
            marked.Write(json.Slice(at, length));
            marked.Write("\""u8);
            copied = at += length;
        }
        marked.Write(json[copied..]);
        return marked.WrittenSpan.ToArray();
    }

    /// <summary>Moves <paramref name="at"/> to the next number that a double cannot hold.</summary>
    private static bool TryFindNext(ReadOnlySpan<byte> json, ref int at, out int length)
    {
        length = 0;
        while (at < json.Length)
        {
            int found = json[at..].IndexOfAny(s_quoteOrNumber);
            if (found < 0)
                return false;
            at += found;
            if (json[at] == '"')
            {
                at = EndOfText(json, at);
                continue;
            }
            length = json[at..].IndexOfAnyExcept(s_number);
            if (length < 0)
                length = json.Length - at;
            if (DecimalText.IsLossy(json.Slice(at, length)))
                return true;
            at += length;
        }
        return false;
    }

    private static int EndOfText(ReadOnlySpan<byte> json, int at)
    {
        at++;
        while (at < json.Length)
        {
            int found = json[at..].IndexOfAny((byte)'"', (byte)'\\');
            if (found < 0)
                return json.Length;
            at += found;
            if (json[at] == '"')
                return at + 1;
            at += 2;
        }
        return json.Length;
    }
}

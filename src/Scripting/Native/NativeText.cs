using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Unicode;

namespace Jackdaw.Scripting.Native;

/// <summary>
/// Text between UTF-8 and the library's strings, by way of UTF-16: the library's own conversions go byte by byte and cost more
/// than parsing the document.
/// </summary>
internal static unsafe class NativeText
{
    private const int StackCharacters = 2048;

    /// <summary>Longer buffers are not pooled: the runtime's pool keeps several of each size for each processor.</summary>
    private const int LongestPooled = 64 << 10;

    /// <summary>A library's string, to be released. Bytes that are not UTF-8 become U+FFFD.</summary>
    [SkipLocalsInit]
    public static nint Create(ReadOnlySpan<byte> utf8)
    {
        char[]? rented = null;
        // No text has more units than bytes.
        var text =
            utf8.Length <= StackCharacters
                ? stackalloc char[StackCharacters]
                : rented = utf8.Length <= LongestPooled ? ArrayPool<char>.Shared.Rent(utf8.Length) : new char[utf8.Length];
        nint created = Create(text[..Write(utf8, text)]);
        if (rented is { Length: <= LongestPooled })
            ArrayPool<char>.Shared.Return(rented);
        return created;
    }

    /// <summary>A library's string, to be released; lone surrogates stay what they are.</summary>
    public static nint Create(ReadOnlySpan<char> text)
    {
        fixed (char* characters = text)
            return JavaScriptCore.JSStringCreateWithCharacters(characters, (nuint)text.Length);
    }

    /// <summary>Writes the text as UTF-16 and returns its units, as many as it has bytes at most. Bytes that are not UTF-8 become
    /// U+FFFD.</summary>
    public static int Write(ReadOnlySpan<byte> utf8, Span<char> text)
    {
        Utf8.ToUtf16(utf8, text, out _, out int length);
        return length;
    }

    /// <summary>A value of the text.</summary>
    public static nint MakeValue(nint context, ReadOnlySpan<byte> utf8) => MakeValue(context, Create(utf8));

    /// <summary>A value of the text.</summary>
    public static nint MakeValue(nint context, ReadOnlySpan<char> text) => MakeValue(context, Create(text));

    /// <summary>UTF-16 code units in a library's string.</summary>
    public static long Length(nint text) => (long)JavaScriptCore.JSStringGetLength(text);

    /// <summary>Writes the text as UTF-8 into a buffer that grows as needed; returns the bytes written. Lone surrogates become
    /// U+FFFD.</summary>
    public static int Read(nint text, ref byte[] buffer)
    {
        var characters = Characters(text);
        // Nearly all texts are ASCII, nearly all others fit when asked again with what is needed.
        Grow(ref buffer, characters.Length);
        if (Utf8.FromUtf16(characters, buffer, out _, out int written) == OperationStatus.DestinationTooSmall)
        {
            Grow(ref buffer, checked(characters.Length * 3));
            Utf8.FromUtf16(characters, buffer, out _, out written);
        }
        return written;
    }

    /// <summary>The text as UTF-8 in an array of its own. Lone surrogates become U+FFFD.</summary>
    public static byte[] ReadUtf8(nint text)
    {
        var characters = Characters(text);
        // What is not longer in UTF-8 is ASCII, as nearly all texts are, and written by now.
        byte[] exact = GC.AllocateUninitializedArray<byte>(characters.Length);
        if (Utf8.FromUtf16(characters, exact, out _, out int written) == OperationStatus.Done)
            return exact;
        byte[] buffer = [];
        written = Read(text, ref buffer);
        exact = buffer.AsSpan(0, written).ToArray();
        Return(buffer);
        return exact;
    }

    public static string Read(nint text) => new(Characters(text));

    /// <summary>Releases the text.</summary>
    private static nint MakeValue(nint context, nint text)
    {
        try
        {
            return JavaScriptCore.JSValueMakeString(context, text);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    private static ReadOnlySpan<char> Characters(nint text) =>
        new(JavaScriptCore.JSStringGetCharactersPtr(text), checked((int)Length(text)));

    private static void Grow(ref byte[] buffer, int bytes)
    {
        if (buffer.Length >= bytes)
            return;
        if (buffer.Length > 0)
            Return(buffer);
        buffer = [];
        buffer = bytes <= LongestPooled ? ArrayPool<byte>.Shared.Rent(bytes) : new byte[bytes];
    }

    /// <summary>Gives a buffer of <see cref="Read(nint, ref byte[])"/> back.</summary>
    public static void Return(byte[] buffer)
    {
        if (buffer.Length <= LongestPooled)
            ArrayPool<byte>.Shared.Return(buffer);
    }
}

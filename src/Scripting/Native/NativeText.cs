using System.Buffers;
using System.Text;

namespace Jackdaw.Scripting.Native;

/// <summary>Text between UTF-8 and the library's strings.</summary>
internal static unsafe class NativeText
{
    private const int StackBytes = 2048;

    /// <summary>A library's string, to be released. Bytes that are not UTF-8 give an empty one.</summary>
    public static nint Create(ReadOnlySpan<byte> utf8)
    {
        if (utf8.Contains((byte)0))
            return Create(Encoding.UTF8.GetString(utf8));
        byte[]? rented = null;
        var terminated = utf8.Length < StackBytes ? stackalloc byte[StackBytes] : rented = ArrayPool<byte>.Shared.Rent(utf8.Length + 1);
        utf8.CopyTo(terminated);
        terminated[utf8.Length] = 0;
        nint text;
        fixed (byte* bytes = terminated)
            text = JavaScriptCore.JSStringCreateWithUTF8CString(bytes);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
        return text;
    }

    /// <summary>A library's string, to be released; lone surrogates stay what they are.</summary>
    public static nint Create(string text)
    {
        fixed (char* characters = text)
            return JavaScriptCore.JSStringCreateWithCharacters(characters, (nuint)text.Length);
    }

    /// <summary>A value of the text.</summary>
    public static nint MakeValue(nint context, ReadOnlySpan<byte> utf8)
    {
        var text = Create(utf8);
        try
        {
            return JavaScriptCore.JSValueMakeString(context, text);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    /// <summary>UTF-16 code units in a library's string.</summary>
    public static long Length(nint text) => (long)JavaScriptCore.JSStringGetLength(text);

    /// <summary>Writes the text as UTF-8 into a buffer that grows as needed; returns the bytes written.</summary>
    public static int Read(nint text, ref byte[] buffer)
    {
        nuint needed = JavaScriptCore.JSStringGetMaximumUTF8CStringSize(text);
        if ((nuint)buffer.Length < needed)
        {
            if (buffer.Length > 0)
                ArrayPool<byte>.Shared.Return(buffer);
            buffer = [];
            buffer = ArrayPool<byte>.Shared.Rent(checked((int)needed));
        }
        fixed (byte* bytes = buffer)
        {
            // The count includes the terminating zero.
            nuint written = JavaScriptCore.JSStringGetUTF8CString(text, bytes, (nuint)buffer.Length);
            return written == 0 ? 0 : (int)written - 1;
        }
    }

    public static string Read(nint text) => new(JavaScriptCore.JSStringGetCharactersPtr(text), 0, checked((int)Length(text)));
}

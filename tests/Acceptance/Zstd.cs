using System.Runtime.InteropServices;

namespace Jackdaw.Acceptance;

/// <summary>The operating system's zstd, so that the tests do not read the server's own code.</summary>
internal static partial class Zstd
{
    private const string Library = "libzstd.so.1";

    public static byte[] Compress(byte[] bytes)
    {
        var compressed = new byte[Require(CompressBound((nuint)bytes.Length))];
        var length = Require(Compress(compressed, (nuint)compressed.Length, bytes, (nuint)bytes.Length, 3));
        return compressed[..length];
    }

    /// <summary>Decompresses whole frames that hold at most <paramref name="most"/> bytes.</summary>
    public static byte[] Decompress(byte[] compressed, int most = 64 << 20)
    {
        var bytes = new byte[most];
        return bytes[..Require(Decompress(bytes, (nuint)bytes.Length, compressed, (nuint)compressed.Length))];
    }

    private static int Require(nuint code)
    {
        Assert.True(IsError(code) == 0, "zstd: " + Marshal.PtrToStringUTF8(ErrorName(code)));
        return (int)code;
    }

    [LibraryImport(Library, EntryPoint = "ZSTD_compressBound")]
    private static partial nuint CompressBound(nuint size);

    [LibraryImport(Library, EntryPoint = "ZSTD_compress")]
    private static partial nuint Compress(byte[] to, nuint room, byte[] from, nuint size, int level);

    [LibraryImport(Library, EntryPoint = "ZSTD_decompress")]
    private static partial nuint Decompress(byte[] to, nuint room, byte[] from, nuint size);

    [LibraryImport(Library, EntryPoint = "ZSTD_isError")]
    private static partial uint IsError(nuint code);

    [LibraryImport(Library, EntryPoint = "ZSTD_getErrorName")]
    private static partial nint ErrorName(nuint code);
}

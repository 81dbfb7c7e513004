using System.Runtime.InteropServices;

namespace Jackdaw.Server.Http.Compression;

/// <summary>
/// The streaming functions of the operating system's zstd, by its stable C interface. (The storage engine binds the functions for
/// whole blocks by itself and knows nothing of HTTP.) When the library is absent, answers are compressed with gzip only, and request
/// bodies in zstd are refused by name.
/// </summary>
internal static unsafe class ZstdLibrary
{
    public const string PackageName = "libzstd1";
    private const string FileName = "libzstd.so.1";

    private const int CompressionLevelParameter = 100;
    private const int CompressionWindowLogParameter = 101;
    private const int DecompressionWindowLogMaxParameter = 100;

    private static readonly delegate* unmanaged<nint> CreateCompressor;
    private static readonly delegate* unmanaged<nint, nuint> FreeCompressorFunction;
    private static readonly delegate* unmanaged<nint, int, int, nuint> SetCompressorParameter;
    private static readonly delegate* unmanaged<nint, ulong, nuint> SetPledgedSize;
    private static readonly delegate* unmanaged<nint, ZstdBuffer*, ZstdBuffer*, int, nuint> CompressFunction;
    private static readonly delegate* unmanaged<nint> CreateDecompressor;
    private static readonly delegate* unmanaged<nint, nuint> FreeDecompressorFunction;
    private static readonly delegate* unmanaged<nint, int, int, nuint> SetDecompressorParameter;
    private static readonly delegate* unmanaged<nint, ZstdBuffer*, ZstdBuffer*, nuint> DecompressFunction;
    private static readonly delegate* unmanaged<nuint, uint> IsError;
    private static readonly delegate* unmanaged<nuint, byte*> ErrorName;

#pragma warning disable CA1810 // The fields are filled from one library handle.
    static ZstdLibrary()
    {
        if (!NativeLibrary.TryLoad(FileName, out var library))
            return;
        CreateCompressor = (delegate* unmanaged<nint>)NativeLibrary.GetExport(library, "ZSTD_createCCtx");
        FreeCompressorFunction = (delegate* unmanaged<nint, nuint>)NativeLibrary.GetExport(library, "ZSTD_freeCCtx");
        SetCompressorParameter = (delegate* unmanaged<nint, int, int, nuint>)NativeLibrary.GetExport(library, "ZSTD_CCtx_setParameter");
        SetPledgedSize = (delegate* unmanaged<nint, ulong, nuint>)NativeLibrary.GetExport(library, "ZSTD_CCtx_setPledgedSrcSize");
        CompressFunction = (delegate* unmanaged<nint, ZstdBuffer*, ZstdBuffer*, int, nuint>)
            NativeLibrary.GetExport(library, "ZSTD_compressStream2");
        CreateDecompressor = (delegate* unmanaged<nint>)NativeLibrary.GetExport(library, "ZSTD_createDCtx");
        FreeDecompressorFunction = (delegate* unmanaged<nint, nuint>)NativeLibrary.GetExport(library, "ZSTD_freeDCtx");
        SetDecompressorParameter = (delegate* unmanaged<nint, int, int, nuint>)NativeLibrary.GetExport(library, "ZSTD_DCtx_setParameter");
        DecompressFunction = (delegate* unmanaged<nint, ZstdBuffer*, ZstdBuffer*, nuint>)
            NativeLibrary.GetExport(library, "ZSTD_decompressStream");
        IsError = (delegate* unmanaged<nuint, uint>)NativeLibrary.GetExport(library, "ZSTD_isError");
        ErrorName = (delegate* unmanaged<nuint, byte*>)NativeLibrary.GetExport(library, "ZSTD_getErrorName");
        IsAvailable = true;
    }
#pragma warning restore CA1810

    public static bool IsAvailable { get; }

    /// <summary>Makes a compressor.</summary>
    /// <param name="level">1 is the fastest.</param>
    /// <param name="windowLog">The window is 2 to the power of this, in bytes; it decides the memory of both sides.</param>
    /// <param name="size">Bytes that will be compressed, where that is known: less memory is taken for little.</param>
    public static nint NewCompressor(int level, int windowLog, long? size)
    {
        var compressor = Created(CreateCompressor());
        Require(SetCompressorParameter(compressor, CompressionLevelParameter, level));
        Require(SetCompressorParameter(compressor, CompressionWindowLogParameter, windowLog));
        if (size is { } pledged)
            Require(SetPledgedSize(compressor, (ulong)pledged));
        return compressor;
    }

    /// <summary>Makes a decompressor that refuses frames with a larger window than 2 to the power of
    /// <paramref name="windowLogMax"/>.</summary>
    public static nint NewDecompressor(int windowLogMax)
    {
        var decompressor = Created(CreateDecompressor());
        Require(SetDecompressorParameter(decompressor, DecompressionWindowLogMaxParameter, windowLogMax));
        return decompressor;
    }

    public static void FreeCompressor(nint compressor) => FreeCompressorFunction(compressor);

    public static void FreeDecompressor(nint decompressor) => FreeDecompressorFunction(decompressor);

    /// <summary>Compresses as much as there is room for. Returns what is left to be written; 0 when an order to flush or to end is
    /// carried out.</summary>
    public static nuint Compress(
        nint compressor,
        ReadOnlySpan<byte> input,
        Span<byte> output,
        ZstdDirective directive,
        out int consumed,
        out int produced
    )
    {
        fixed (byte* from = input)
        fixed (byte* to = output)
        {
            var source = new ZstdBuffer(from, input.Length);
            var destination = new ZstdBuffer(to, output.Length);
            var left = Require(CompressFunction(compressor, &destination, &source, (int)directive));
            consumed = (int)source.Position;
            produced = (int)destination.Position;
            return left;
        }
    }

    /// <summary>Decompresses as much as there is room for. Returns false at the end of a frame that is written out whole.</summary>
    /// <exception cref="InvalidDataException">The input is damaged, or not zstd, or needs too large a window.</exception>
    public static bool Decompress(nint decompressor, ReadOnlySpan<byte> input, Span<byte> output, out int consumed, out int produced)
    {
        fixed (byte* from = input)
        fixed (byte* to = output)
        {
            var source = new ZstdBuffer(from, input.Length);
            var destination = new ZstdBuffer(to, output.Length);
            var hint = Require(DecompressFunction(decompressor, &destination, &source));
            consumed = (int)source.Position;
            produced = (int)destination.Position;
            return hint != 0;
        }
    }

    private static nint Created(nint context) =>
        context != 0 ? context : throw new InvalidOperationException("zstd could not allocate a context.");

    private static nuint Require(nuint code) =>
        IsError(code) == 0
            ? code
            : throw new InvalidDataException(Marshal.PtrToStringUTF8((nint)ErrorName(code)) ?? "unknown error of zstd");
}

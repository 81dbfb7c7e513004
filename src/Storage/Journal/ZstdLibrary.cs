using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Journal;

/// <summary>The operating system's zstd, by its stable C interface. Absent: records stay uncompressed, and compressed ones cannot
/// be read.</summary>
internal static unsafe class ZstdLibrary
{
    public const string PackageName = "libzstd1";
    private const string FileName = "libzstd.so.1";

    public static readonly delegate* unmanaged<void*> CreateCompressor;
    public static readonly delegate* unmanaged<void*, nuint> FreeCompressor;
    public static readonly delegate* unmanaged<void*, byte*, nuint, byte*, nuint, int, nuint> Compress;
    public static readonly delegate* unmanaged<nuint, nuint> CompressBound;
    public static readonly delegate* unmanaged<void*> CreateDecompressor;
    public static readonly delegate* unmanaged<void*, nuint> FreeDecompressor;
    public static readonly delegate* unmanaged<void*, byte*, nuint, byte*, nuint, nuint> Decompress;
    public static readonly delegate* unmanaged<nuint, uint> IsError;
    private static readonly delegate* unmanaged<nuint, byte*> ErrorName;

#pragma warning disable CA1810 // The fields are filled from one library handle.
    static ZstdLibrary()
    {
        if (!NativeLibrary.TryLoad(FileName, out var library))
            return;
        CreateCompressor = (delegate* unmanaged<void*>)NativeLibrary.GetExport(library, "ZSTD_createCCtx");
        FreeCompressor = (delegate* unmanaged<void*, nuint>)NativeLibrary.GetExport(library, "ZSTD_freeCCtx");
        Compress = (delegate* unmanaged<void*, byte*, nuint, byte*, nuint, int, nuint>)
            NativeLibrary.GetExport(library, "ZSTD_compressCCtx");
        CompressBound = (delegate* unmanaged<nuint, nuint>)NativeLibrary.GetExport(library, "ZSTD_compressBound");
        CreateDecompressor = (delegate* unmanaged<void*>)NativeLibrary.GetExport(library, "ZSTD_createDCtx");
        FreeDecompressor = (delegate* unmanaged<void*, nuint>)NativeLibrary.GetExport(library, "ZSTD_freeDCtx");
        Decompress = (delegate* unmanaged<void*, byte*, nuint, byte*, nuint, nuint>)NativeLibrary.GetExport(library, "ZSTD_decompressDCtx");
        IsError = (delegate* unmanaged<nuint, uint>)NativeLibrary.GetExport(library, "ZSTD_isError");
        ErrorName = (delegate* unmanaged<nuint, byte*>)NativeLibrary.GetExport(library, "ZSTD_getErrorName");
        IsAvailable = true;
    }
#pragma warning restore CA1810

    public static bool IsAvailable { get; }

    public static string Describe(nuint code) => Marshal.PtrToStringUTF8((nint)ErrorName(code)) ?? "unknown error";
}

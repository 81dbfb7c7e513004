using System.Runtime.InteropServices;

namespace Jackdaw.Server.Http.Compression;

/// <summary>Owns a compressor or a decompressor of zstd, so that its native memory is freed whatever ends a request.</summary>
internal sealed class ZstdContext : SafeHandle
{
    private readonly Action<nint> _free;

    private ZstdContext(nint context, Action<nint> free)
        : base(0, ownsHandle: true)
    {
        _free = free;
        SetHandle(context);
    }

    public override bool IsInvalid => handle == 0;

    public static ZstdContext Compressor(int level, int windowLog, long? size) =>
        new(ZstdLibrary.NewCompressor(level, windowLog, size), ZstdLibrary.FreeCompressor);

    public static ZstdContext Decompressor(int windowLogMax) =>
        new(ZstdLibrary.NewDecompressor(windowLogMax), ZstdLibrary.FreeDecompressor);

    protected override bool ReleaseHandle()
    {
        _free(handle);
        return true;
    }
}

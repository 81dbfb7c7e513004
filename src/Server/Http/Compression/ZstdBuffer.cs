using System.Runtime.InteropServices;

namespace Jackdaw.Server.Http.Compression;

/// <summary>zstd's <c>ZSTD_inBuffer</c> and <c>ZSTD_outBuffer</c>, which have one layout.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct ZstdBuffer(byte* start, int size)
{
    public readonly byte* Start = start;
    public readonly nuint Size = (nuint)size;
    public nuint Position;
}

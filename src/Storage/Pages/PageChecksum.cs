using System.Numerics;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Pages;

/// <summary>The checksum of a page or run: CRC32C over (environment id, page number, bytes 4 to the end). docs/storage-format.md,
/// "Pages".</summary>
internal static unsafe class PageChecksum
{
    /// <summary>The seed of one page: environment id, then the page number.</summary>
    public static uint Seed(Guid environmentId, long pageNumber)
    {
        Span<byte> id = stackalloc byte[16];
        environmentId.TryWriteBytes(id);
        var crc = uint.MaxValue;
        crc = BitOperations.Crc32C(crc, BitConverter.ToUInt64(id));
        crc = BitOperations.Crc32C(crc, BitConverter.ToUInt64(id[8..]));
        return BitOperations.Crc32C(crc, (ulong)pageNumber);
    }

    /// <summary>The checksum of a run that lies whole at <paramref name="page"/>.</summary>
    public static uint Compute(uint seed, byte* page, int runLength) =>
        Finish(Continue(seed, page + 4, (long)runLength * PageLayout.PageSize - 4));

    public static uint Continue(uint crc, byte* bytes, long length)
    {
        if ((length & 4) != 0)
        {
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<uint>(bytes));
            bytes += 4;
            length -= 4;
        }
        Invariant.Require((length & 7) == 0);
        for (var end = bytes + length; bytes != end; bytes += 8)
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<ulong>(bytes));
        return crc;
    }

    public static uint Finish(uint crc) => ~crc;
}

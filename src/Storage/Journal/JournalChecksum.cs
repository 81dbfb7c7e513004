using System.Numerics;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Journal;

/// <summary>CRC32C in steps. "Seeded by the salt" means: over the salt's eight bytes, then the bytes named.</summary>
internal static unsafe class JournalChecksum
{
    public static uint Begin() => uint.MaxValue;

    public static uint Begin(ulong salt) => BitOperations.Crc32C(uint.MaxValue, salt);

    public static uint Continue(uint state, byte* bytes, long length)
    {
        var end = bytes + length;
        for (; end - bytes >= 32; bytes += 32)
        {
            state = BitOperations.Crc32C(state, Unsafe.ReadUnaligned<ulong>(bytes));
            state = BitOperations.Crc32C(state, Unsafe.ReadUnaligned<ulong>(bytes + 8));
            state = BitOperations.Crc32C(state, Unsafe.ReadUnaligned<ulong>(bytes + 16));
            state = BitOperations.Crc32C(state, Unsafe.ReadUnaligned<ulong>(bytes + 24));
        }
        for (; end - bytes >= 8; bytes += 8)
            state = BitOperations.Crc32C(state, Unsafe.ReadUnaligned<ulong>(bytes));
        for (; bytes != end; bytes++)
            state = BitOperations.Crc32C(state, *bytes);
        return state;
    }

    public static uint Finish(uint state) => ~state;
}

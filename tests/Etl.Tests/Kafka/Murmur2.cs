using System.Buffers.Binary;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>The hash of Java's clients, by its published definition (seed 0x9747b28c): what the partition of a key must be.</summary>
internal static class Murmur2
{
    public static int Partition(ReadOnlySpan<byte> key, int partitions) => (int)((Hash(key) & 0x7fffffff) % (uint)partitions);

    public static uint Hash(ReadOnlySpan<byte> key)
    {
        const uint M = 0x5bd1e995;
        uint h = 0x9747b28c ^ (uint)key.Length;
        while (key.Length >= 4)
        {
            uint k = BinaryPrimitives.ReadUInt32LittleEndian(key) * M;
            h = (h * M) ^ ((k ^ (k >> 24)) * M);
            key = key[4..];
        }
        if (key.Length > 2)
            h ^= (uint)key[2] << 16;
        if (key.Length > 1)
            h ^= (uint)key[1] << 8;
        if (key.Length > 0)
            h = (h ^ key[0]) * M;
        h = (h ^ (h >> 13)) * M;
        return h ^ (h >> 15);
    }
}

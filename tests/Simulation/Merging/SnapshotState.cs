using System.Collections.Immutable;

namespace Jackdaw.Simulation.Merging;

/// <summary>A snapshot in the model.</summary>
/// <param name="Ticks">UTC.</param>
/// <param name="Serializer">Of the client.</param>
/// <param name="Manifest">Of the client.</param>
/// <param name="Content">The number of its content.</param>
/// <param name="Seed">What its bytes are made of.</param>
/// <param name="Chunks">Bytes of each of its chunks.</param>
internal sealed record SnapshotState(long Ticks, int Serializer, string Manifest, long Content, int Seed, ImmutableList<int> Chunks)
{
    public int SizeBytes => Chunks.Sum();

    /// <summary>The bytes of an upload, each made of the upload's seed and its place.</summary>
    public static byte[] BytesOf(int seed, int offset, int length)
    {
        var bytes = new byte[length];
        for (var i = 0; i < length; i++)
            bytes[i] = (byte)((seed * 31) + ((offset + i) * 7) + ((offset + i) >> 8));
        return bytes;
    }
}

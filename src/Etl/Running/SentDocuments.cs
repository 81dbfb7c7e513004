using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>
/// The documents that are to be deleted once a batch has arrived at a sink that keeps the positions. Noted before the batch is
/// sent: when it has arrived, nobody but the
/// sink knows, and that tells which batch it was, not what was in it. Layout: docs/documents-format.md, "tasks".
/// </summary>
/// <param name="Batch">See <see cref="Running.Batch.Id"/>.</param>
/// <param name="Etags">Of the documents as they are sent: one that has changed since has another.</param>
internal sealed record SentDocuments(Guid Batch, IReadOnlyList<long> Etags)
{
    private const int HeaderBytes = 24;
    private const byte Version = 1;

    public static SentDocuments Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length >= HeaderBytes && value[0] == Version && (value.Length - HeaderBytes) % sizeof(long) == 0);
        long[] etags = new long[(value.Length - HeaderBytes) / sizeof(long)];
        for (int i = 0; i < etags.Length; i++)
            etags[i] = BinaryPrimitives.ReadInt64LittleEndian(value[(HeaderBytes + (i * sizeof(long)))..]);
        return new SentDocuments(new Guid(value.Slice(8, 16)), etags);
    }

    public byte[] ToBytes()
    {
        byte[] value = new byte[HeaderBytes + (Etags.Count * sizeof(long))];
        value[0] = Version;
        Invariant.Require(Batch.TryWriteBytes(value.AsSpan(8)));
        for (int i = 0; i < Etags.Count; i++)
            BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(HeaderBytes + (i * sizeof(long))), Etags[i]);
        return value;
    }
}

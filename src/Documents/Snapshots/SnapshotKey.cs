using System.Buffers.Binary;

namespace Jackdaw.Documents.Snapshots;

/// <summary>Keys of <see cref="SnapshotsRoom.RowsTree"/>: bytes of the stream id, 2; stream id; number, 8.</summary>
internal static class SnapshotKey
{
    public const int MaxBytes = LengthBytes + Limits.MaxEventTextBytes + NumberBytes;

    private const int LengthBytes = 2;
    private const int NumberBytes = 8;

    /// <summary>Writes a key into <see cref="MaxBytes"/> bytes of room, and returns the part that it fills.</summary>
    public static Span<byte> Write(ReadOnlySpan<byte> stream, long number, Span<byte> room)
    {
        var key = room[..(LengthBytes + stream.Length + NumberBytes)];
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)stream.Length);
        stream.CopyTo(key[LengthBytes..]);
        WriteNumber(number, key);
        return key;
    }

    /// <summary>Changes the number of a key.</summary>
    public static void WriteNumber(long number, Span<byte> key) => BinaryPrimitives.WriteInt64BigEndian(key[^NumberBytes..], number);

    public static long Number(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key[^NumberBytes..]);

    public static ReadOnlySpan<byte> Stream(ReadOnlySpan<byte> key) => key[LengthBytes..^NumberBytes];

    /// <summary>Whether two keys are of one stream.</summary>
    public static bool IsSameStream(ReadOnlySpan<byte> key, ReadOnlySpan<byte> other) =>
        key.Length == other.Length && key[..^NumberBytes].SequenceEqual(other[..^NumberBytes]);

    public static bool IsWellFormed(ReadOnlySpan<byte> key) =>
        key.Length > LengthBytes + NumberBytes
        && key.Length <= MaxBytes
        && BinaryPrimitives.ReadUInt16BigEndian(key) == key.Length - LengthBytes - NumberBytes
        && Number(key) >= 0;
}

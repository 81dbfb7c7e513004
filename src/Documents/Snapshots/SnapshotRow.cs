using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>What a snapshot is, without its bytes: docs/snapshots.md, "Snapshot row".</summary>
internal readonly ref struct SnapshotRow
{
    public const int HeaderBytes = 32;
    public const byte Version = 1;

    public SnapshotRow(ReadOnlySpan<byte> row)
    {
        Invariant.Require(IsWellFormed(row));
        Serializer = BinaryPrimitives.ReadInt32LittleEndian(row[4..]);
        Ticks = BinaryPrimitives.ReadInt64LittleEndian(row[8..]);
        SizeBytes = BinaryPrimitives.ReadInt64LittleEndian(row[16..]);
        Content = BinaryPrimitives.ReadInt64LittleEndian(row[24..]);
        Manifest = row[HeaderBytes..];
    }

    public int Serializer { get; init; }

    public long Ticks { get; init; }

    public long SizeBytes { get; init; }

    /// <summary>The number of its content.</summary>
    public long Content { get; init; }

    public ReadOnlySpan<byte> Manifest { get; init; }

    public static bool IsWellFormed(ReadOnlySpan<byte> row) =>
        row.Length is >= HeaderBytes and <= HeaderBytes + Limits.MaxEventTextBytes
        && row[0] == Version
        && BinaryPrimitives.ReadUInt16LittleEndian(row[2..]) == row.Length - HeaderBytes
        && BinaryPrimitives.ReadInt64LittleEndian(row[8..]) >= 0
        && BinaryPrimitives.ReadInt64LittleEndian(row[16..]) >= 0
        && BinaryPrimitives.ReadInt64LittleEndian(row[24..]) > 0;

    /// <summary>Fills <see cref="HeaderBytes"/> and the manifest.</summary>
    public void Write(Span<byte> row)
    {
        Invariant.Require(row.Length == HeaderBytes + Manifest.Length && Content > 0);
        row[0] = Version;
        row[1] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(row[2..], (ushort)Manifest.Length);
        BinaryPrimitives.WriteInt32LittleEndian(row[4..], Serializer);
        BinaryPrimitives.WriteInt64LittleEndian(row[8..], Ticks);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], SizeBytes);
        BinaryPrimitives.WriteInt64LittleEndian(row[24..], Content);
        Manifest.CopyTo(row[HeaderBytes..]);
    }
}

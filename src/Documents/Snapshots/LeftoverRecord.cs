using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>A content that no snapshot has: docs/snapshots.md, "Leftover record".</summary>
/// <param name="IsUploading">It was being uploaded when the record was written; otherwise it is to be removed.</param>
/// <param name="Number">Of the record (<see cref="SnapshotNumbers"/>); while it is uploading, of the content.</param>
/// <param name="Ticks">The time of the transaction that wrote the record, UTC.</param>
internal readonly record struct LeftoverRecord(bool IsUploading, long Number, long Ticks)
{
    public const int Bytes = 24;

    private const byte Version = 1;
    private const byte Uploading = 1;
    private const byte Replaced = 2;

    public static bool IsWellFormed(ReadOnlySpan<byte> record) =>
        record.Length == Bytes && record[0] == Version && record[1] is Uploading or Replaced;

    public static LeftoverRecord Read(ReadOnlySpan<byte> record)
    {
        Invariant.Require(IsWellFormed(record));
        return new LeftoverRecord(
            record[1] == Uploading,
            BinaryPrimitives.ReadInt64LittleEndian(record[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(record[16..])
        );
    }

    public void Write(Span<byte> record)
    {
        Invariant.Require(record.Length == Bytes);
        record.Clear();
        record[0] = Version;
        record[1] = IsUploading ? Uploading : Replaced;
        BinaryPrimitives.WriteInt64LittleEndian(record[8..], Number);
        BinaryPrimitives.WriteInt64LittleEndian(record[16..], Ticks);
    }
}

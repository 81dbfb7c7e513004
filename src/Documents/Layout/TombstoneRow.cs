using System.Buffers.Binary;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Layout;

/// <summary>A tombstone's row, read and written in place. Layout: docs/documents-format.md, "Tombstone row".</summary>
internal readonly ref struct TombstoneRow
{
    public const int HeaderBytes = 32;
    public const byte Version = 1;

    private readonly ReadOnlySpan<byte> _row;

    public TombstoneRow(ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length >= HeaderBytes && row[0] == Version);
        _row = row;
    }

    public uint CollectionId => BinaryPrimitives.ReadUInt32LittleEndian(_row[8..]);

    public long LastModifiedTicks => BinaryPrimitives.ReadInt64LittleEndian(_row[16..]);

    public long DocumentEtag => BinaryPrimitives.ReadInt64LittleEndian(_row[24..]);

    public ReadOnlySpan<byte> Id => _row.Slice(HeaderBytes, IdLength);

    public ReadOnlySpan<byte> LowerId => LowerIdLength == 0 ? Id : _row.Slice(HeaderBytes + IdLength, LowerIdLength);

    public ReadOnlySpan<byte> Collection => _row.Slice(CollectionOffset, CollectionLength);

    public ReadOnlySpan<byte> ChangeVector => _row.Slice(CollectionOffset + CollectionLength, ChangeVectorLength);

    /// <summary>Do the lengths add up to the row?</summary>
    public bool IsWellFormed => CollectionOffset + CollectionLength + ChangeVectorLength == _row.Length;

    private int IdLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[2..]);

    private int LowerIdLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[4..]);

    private int ChangeVectorLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[6..]);

    private int CollectionLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[12..]);

    private int CollectionOffset => HeaderBytes + IdLength + LowerIdLength;

    public Tombstone ToTombstone(long etag) =>
        new()
        {
            Id = Id,
            LowerId = LowerId,
            Etag = etag,
            DocumentEtag = DocumentEtag,
            ChangeVector = ChangeVector,
            LastModifiedTicks = LastModifiedTicks,
            Collection = Collection,
        };

    public static int SizeOf(in NewTombstone tombstone) =>
        HeaderBytes + tombstone.Id.Length + StoredLowerId(tombstone).Length + tombstone.Collection.Length + tombstone.ChangeVector.Length;

    /// <summary>Fills exactly <see cref="SizeOf"/> bytes.</summary>
    public static void Write(in NewTombstone tombstone, Span<byte> row)
    {
        var lowerId = StoredLowerId(tombstone);
        row[0] = Version;
        row[1] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(row[2..], checked((ushort)tombstone.Id.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[4..], checked((ushort)lowerId.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[6..], checked((ushort)tombstone.ChangeVector.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(row[8..], tombstone.CollectionId);
        BinaryPrimitives.WriteUInt16LittleEndian(row[12..], checked((ushort)tombstone.Collection.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[14..], 0);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], tombstone.LastModifiedTicks);
        BinaryPrimitives.WriteInt64LittleEndian(row[24..], tombstone.DocumentEtag);
        int at = HeaderBytes;
        tombstone.Id.CopyTo(row[at..]);
        at += tombstone.Id.Length;
        lowerId.CopyTo(row[at..]);
        at += lowerId.Length;
        tombstone.Collection.CopyTo(row[at..]);
        at += tombstone.Collection.Length;
        tombstone.ChangeVector.CopyTo(row[at..]);
        Invariant.Require(at + tombstone.ChangeVector.Length == row.Length);
    }

    private static ReadOnlySpan<byte> StoredLowerId(in NewTombstone tombstone) =>
        tombstone.LowerId.SequenceEqual(tombstone.Id) ? default : tombstone.LowerId;
}

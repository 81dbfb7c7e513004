using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Layout;

/// <summary>A collection's counters and name. Layout: docs/documents-format.md, "Collection row".</summary>
internal sealed class CollectionRow
{
    public const int HeaderBytes = 48;

    public required uint Id { get; init; }

    public required byte[] Name { get; init; }

    /// <summary>The row's key.</summary>
    public required byte[] LowerName { get; init; }

    public long DocumentCount { get; set; }

    public long TombstoneCount { get; set; }

    public long DocumentBytes { get; set; }

    public long LastDocumentEtag { get; set; }

    public long LastTombstoneEtag { get; set; }

    public static CollectionRow Read(ReadOnlySpan<byte> lowerName, ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length > HeaderBytes);
        return new CollectionRow
        {
            Id = BinaryPrimitives.ReadUInt32LittleEndian(row),
            Name = row[HeaderBytes..].ToArray(),
            LowerName = lowerName.ToArray(),
            DocumentCount = BinaryPrimitives.ReadInt64LittleEndian(row[8..]),
            TombstoneCount = BinaryPrimitives.ReadInt64LittleEndian(row[16..]),
            DocumentBytes = BinaryPrimitives.ReadInt64LittleEndian(row[24..]),
            LastDocumentEtag = BinaryPrimitives.ReadInt64LittleEndian(row[32..]),
            LastTombstoneEtag = BinaryPrimitives.ReadInt64LittleEndian(row[40..]),
        };
    }

    public int SizeBytes => HeaderBytes + Name.Length;

    public void Write(Span<byte> row)
    {
        Invariant.Require(DocumentCount >= 0 && TombstoneCount >= 0 && DocumentBytes >= 0);
        BinaryPrimitives.WriteUInt32LittleEndian(row, Id);
        BinaryPrimitives.WriteUInt32LittleEndian(row[4..], 0);
        BinaryPrimitives.WriteInt64LittleEndian(row[8..], DocumentCount);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], TombstoneCount);
        BinaryPrimitives.WriteInt64LittleEndian(row[24..], DocumentBytes);
        BinaryPrimitives.WriteInt64LittleEndian(row[32..], LastDocumentEtag);
        BinaryPrimitives.WriteInt64LittleEndian(row[40..], LastTombstoneEtag);
        Name.CopyTo(row[HeaderBytes..]);
    }
}

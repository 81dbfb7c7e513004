using System.Buffers.Binary;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Layout;

/// <summary>A document's row, read and written in place. Layout: docs/documents-format.md, "Document row".</summary>
internal readonly ref struct DocumentRow
{
    public const int HeaderBytes = 36;
    public const byte Version = 1;

    private const byte HasExpires = 1;
    private const byte HasRefresh = 2;

    private readonly ReadOnlySpan<byte> _row;

    public DocumentRow(ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length >= HeaderBytes && row[0] == Version);
        _row = row;
    }

    public uint CollectionId => BinaryPrimitives.ReadUInt32LittleEndian(_row[8..]);

    public DocumentFlags Flags => (DocumentFlags)BinaryPrimitives.ReadInt32LittleEndian(_row[12..]);

    public long LastModifiedTicks => BinaryPrimitives.ReadInt64LittleEndian(_row[16..]);

    public ReadOnlySpan<byte> Id => _row.Slice(HeaderBytes, IdLength);

    public ReadOnlySpan<byte> LowerId => LowerIdLength == 0 ? Id : _row.Slice(HeaderBytes + IdLength, LowerIdLength);

    public ReadOnlySpan<byte> Collection => _row.Slice(CollectionOffset, CollectionLength);

    public ReadOnlySpan<byte> ChangeVector => _row.Slice(CollectionOffset + CollectionLength, ChangeVectorLength);

    public ReadOnlySpan<byte> Metadata => _row.Slice(MetadataOffset, MetadataLength);

    public ReadOnlySpan<byte> Body => _row.Slice(MetadataOffset + MetadataLength, BodyLength);

    /// <summary>The dates in the document's metadata.</summary>
    public DocumentDates Dates
    {
        get
        {
            if (DateFlags == 0)
                return default;
            var ticks = _row[^DateBytes..];
            long? expires = (DateFlags & HasExpires) == 0 ? null : BinaryPrimitives.ReadInt64LittleEndian(ticks);
            return new DocumentDates(
                expires,
                (DateFlags & HasRefresh) == 0 ? null : BinaryPrimitives.ReadInt64LittleEndian(ticks[^sizeof(long)..])
            );
        }
    }

    private int DateFlags => _row[1];

    private int DateBytes => ((DateFlags & HasExpires) + ((DateFlags & HasRefresh) >> 1)) * sizeof(long);

    private int IdLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[2..]);

    private int LowerIdLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[4..]);

    private int ChangeVectorLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[6..]);

    private int CollectionLength => BinaryPrimitives.ReadUInt16LittleEndian(_row[24..]);

    private int MetadataLength => BinaryPrimitives.ReadInt32LittleEndian(_row[28..]);

    private int BodyLength => BinaryPrimitives.ReadInt32LittleEndian(_row[32..]);

    private int CollectionOffset => HeaderBytes + IdLength + LowerIdLength;

    private int MetadataOffset => CollectionOffset + CollectionLength + ChangeVectorLength;

    /// <summary>Do the lengths add up to the row? False for a row that no writer made.</summary>
    public bool IsWellFormed =>
        MetadataLength >= 0
        && BodyLength >= 2
        && DateFlags <= (HasExpires | HasRefresh)
        && (long)MetadataOffset + MetadataLength + BodyLength + DateBytes == _row.Length;

    public Document ToDocument(long etag)
    {
        var collection = Collection;
        return new Document
        {
            Id = Id,
            LowerId = LowerId,
            Etag = etag,
            ChangeVector = ChangeVector,
            LastModifiedTicks = LastModifiedTicks,
            Collection = collection,
            HasCollection = !collection.SequenceEqual(CollectionNames.Empty),
            Flags = Flags,
            Metadata = Metadata,
            Body = Body,
        };
    }

    /// <summary>Bytes that <see cref="Write"/> needs; past <see cref="int.MaxValue"/> only for what the limits refuse.</summary>
    public static int SizeOf(in NewDocument document) =>
        checked(
            HeaderBytes
            + document.Id.Length
            + StoredLowerId(document).Length
            + document.Collection.Length
            + document.ChangeVector.Length
            + document.Metadata.Length
            + document.BodyHead.Length
            + document.BodyTail.Length
            + document.Dates.SizeBytes
        );

    /// <summary>Fills exactly <see cref="SizeOf"/> bytes.</summary>
    public static void Write(in NewDocument document, Span<byte> row)
    {
        var lowerId = StoredLowerId(document);
        row[0] = Version;
        row[1] = (byte)((document.Dates.Expires is null ? 0 : HasExpires) | (document.Dates.Refresh is null ? 0 : HasRefresh));
        BinaryPrimitives.WriteUInt16LittleEndian(row[2..], checked((ushort)document.Id.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[4..], checked((ushort)lowerId.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[6..], checked((ushort)document.ChangeVector.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(row[8..], document.CollectionId);
        BinaryPrimitives.WriteInt32LittleEndian(row[12..], (int)document.Flags);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], document.LastModifiedTicks);
        BinaryPrimitives.WriteUInt16LittleEndian(row[24..], checked((ushort)document.Collection.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(row[26..], 0);
        BinaryPrimitives.WriteInt32LittleEndian(row[28..], document.Metadata.Length);
        BinaryPrimitives.WriteInt32LittleEndian(row[32..], document.BodyHead.Length + document.BodyTail.Length);
        int at = Append(row, HeaderBytes, document.Id);
        at = Append(row, at, lowerId);
        at = Append(row, at, document.Collection);
        at = Append(row, at, document.ChangeVector);
        at = Append(row, at, document.Metadata);
        at = Append(row, at, document.BodyHead);
        at = Append(row, at, document.BodyTail);
        at = AppendDate(row, at, document.Dates.Expires);
        at = AppendDate(row, at, document.Dates.Refresh);
        Invariant.Require(at == row.Length);
    }

    private static ReadOnlySpan<byte> StoredLowerId(in NewDocument document) =>
        document.LowerId.SequenceEqual(document.Id) ? default : document.LowerId;

    private static int AppendDate(Span<byte> row, int at, long? ticks)
    {
        if (ticks is not { } date)
            return at;
        BinaryPrimitives.WriteInt64LittleEndian(row[at..], date);
        return at + sizeof(long);
    }

    private static int Append(Span<byte> row, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(row[at..]);
        return at + bytes.Length;
    }
}

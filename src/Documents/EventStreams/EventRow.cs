using System.Buffers.Binary;
using System.Security.Cryptography;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>An event's row, read in place. Layout: docs/event-streams.md, "Event row".</summary>
internal readonly ref struct EventRow
{
    public const int HeaderBytes = 44;
    public const byte Version = 1;
    public const int DigestBytes = 8;

    private const byte JsonFlag = 1;
    private const int PlaceOffset = 8;
    private const int PlaceEnd = 32;

    private readonly ReadOnlySpan<byte> _row;

    public EventRow(ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length >= HeaderBytes && row[0] == Version);
        _row = row;
    }

    public bool IsJson => (_row[1] & JsonFlag) != 0;

    public int TagCount => BinaryPrimitives.ReadUInt16LittleEndian(_row[2..]);

    public int Serializer => BinaryPrimitives.ReadInt32LittleEndian(_row[4..]);

    public long StreamNumber => BinaryPrimitives.ReadInt64LittleEndian(_row[8..]);

    public long Number => BinaryPrimitives.ReadInt64LittleEndian(_row[16..]);

    public long Ticks => BinaryPrimitives.ReadInt64LittleEndian(_row[24..]);

    public int Manifest => BinaryPrimitives.ReadInt32LittleEndian(_row[32..]);

    public int AdapterManifest => BinaryPrimitives.ReadInt32LittleEndian(_row[36..]);

    public int Writer => BinaryPrimitives.ReadInt32LittleEndian(_row[40..]);

    public EventFields Fields => new(IsJson, Serializer, Ticks, Manifest, AdapterManifest, Writer);

    public ReadOnlySpan<byte> Payload => _row[(HeaderBytes + (TagCount * sizeof(int)))..];

    /// <summary>Is there room for what the header promises, and are the flags known ones?</summary>
    public bool IsWellFormed => HeaderBytes + ((long)TagCount * sizeof(int)) <= _row.Length && (_row[1] & ~JsonFlag) == 0;

    /// <summary>The name number of a tag.</summary>
    public int Tag(int i) => BinaryPrimitives.ReadInt32LittleEndian(_row[(HeaderBytes + (i * sizeof(int)))..]);

    public static int SizeOf(int tags, int payloadBytes) => checked(HeaderBytes + (tags * sizeof(int)) + payloadBytes);

    /// <summary>Fills exactly <see cref="SizeOf"/> bytes.</summary>
    public static void Write(
        Span<byte> row,
        long streamNumber,
        long number,
        in EventFields fields,
        ReadOnlySpan<int> tags,
        ReadOnlySpan<byte> payload
    )
    {
        Invariant.Require(row.Length == SizeOf(tags.Length, payload.Length));
        row[0] = Version;
        row[1] = fields.IsJson ? JsonFlag : (byte)0;
        BinaryPrimitives.WriteUInt16LittleEndian(row[2..], checked((ushort)tags.Length));
        BinaryPrimitives.WriteInt32LittleEndian(row[4..], fields.Serializer);
        BinaryPrimitives.WriteInt64LittleEndian(row[8..], streamNumber);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], number);
        BinaryPrimitives.WriteInt64LittleEndian(row[24..], fields.Ticks);
        BinaryPrimitives.WriteInt32LittleEndian(row[32..], fields.Manifest);
        BinaryPrimitives.WriteInt32LittleEndian(row[36..], fields.AdapterManifest);
        BinaryPrimitives.WriteInt32LittleEndian(row[40..], fields.Writer);
        for (int i = 0; i < tags.Length; i++)
            BinaryPrimitives.WriteInt32LittleEndian(row[(HeaderBytes + (i * sizeof(int)))..], tags[i]);
        payload.CopyTo(row[(HeaderBytes + (tags.Length * sizeof(int)))..]);
    }

    /// <summary>Writes the digest of a row, which does not depend on its stream, number and ticks.</summary>
    public static void WriteDigest(ReadOnlySpan<byte> row, Span<byte> destination)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(row[..PlaceOffset]);
        hash.AppendData(row[PlaceEnd..]);
        Span<byte> whole = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(whole);
        whole[..DigestBytes].CopyTo(destination);
    }
}

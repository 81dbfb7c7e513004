using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>A database's row in the catalogue. Layout: docs/documents-format.md, "Database row".</summary>
internal sealed record DatabaseRow(DatabaseRecord Record, bool DeletionIsSoft)
{
    private const int HeaderBytes = 32;
    private const byte Version = 1;
    private const byte DisabledFlag = 1;
    private const byte SoftFlag = 2;

    public static byte[] Key(string name) => Encoding.UTF8.GetBytes(name.ToLowerInvariant());

    public static DatabaseRow Read(ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length >= HeaderBytes && row[0] == Version);
        int nameLength = BinaryPrimitives.ReadUInt16LittleEndian(row[4..]);
        var record = new DatabaseRecord(
            Encoding.UTF8.GetString(row.Slice(HeaderBytes, nameLength)),
            new Guid(row.Slice(16, 16)),
            (DatabaseState)row[1],
            (row[2] & DisabledFlag) != 0,
            BinaryPrimitives.ReadInt64LittleEndian(row[8..]),
            row[(HeaderBytes + nameLength)..].ToArray()
        );
        Invariant.Require(Enum.IsDefined(record.State));
        return new DatabaseRow(record, (row[2] & SoftFlag) != 0);
    }

    public byte[] ToBytes()
    {
        byte[] name = Encoding.UTF8.GetBytes(Record.Name);
        byte[] row = new byte[HeaderBytes + name.Length + Record.Json.Length];
        row[0] = Version;
        row[1] = (byte)Record.State;
        row[2] = (byte)((Record.Disabled ? DisabledFlag : 0) | (DeletionIsSoft ? SoftFlag : 0));
        BinaryPrimitives.WriteUInt16LittleEndian(row.AsSpan(4), checked((ushort)name.Length));
        BinaryPrimitives.WriteInt64LittleEndian(row.AsSpan(8), Record.Etag);
        Invariant.Require(Record.Id.TryWriteBytes(row.AsSpan(16)));
        name.CopyTo(row, HeaderBytes);
        Record.Json.Span.CopyTo(row.AsSpan(HeaderBytes + name.Length));
        return row;
    }
}

using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>A certificate as the tree <c>certificates</c> holds it. Layout: docs/documents-format.md, "Certificate row".</summary>
internal static class CertificateRow
{
    /// <summary>The name of the tree.</summary>
    public const string Tree = "certificates";

    /// <summary>The number of the tree's format.</summary>
    public const int Format = 1;

    private const int HeaderBytes = 24;
    private const int RightHeaderBytes = 3;
    private const byte Version = 1;

    public static byte[] Write(
        string name,
        Clearance clearance,
        IReadOnlyDictionary<string, DatabaseRight> rights,
        DateTime storedAt,
        ReadOnlySpan<byte> certificate
    )
    {
        Invariant.Require(rights.Count <= CertificateLimits.MaxRights && certificate.Length <= CertificateLimits.MaxCertificateBytes);
        var nameBytes = Encoding.UTF8.GetByteCount(name);
        var row = new byte[
            HeaderBytes
                + nameBytes
                + rights.Keys.Sum(database => RightHeaderBytes + Encoding.UTF8.GetByteCount(database))
                + certificate.Length
        ];
        row[0] = Version;
        row[1] = (byte)(clearance + 1);
        BinaryPrimitives.WriteUInt16LittleEndian(row.AsSpan(2), checked((ushort)nameBytes));
        BinaryPrimitives.WriteUInt16LittleEndian(row.AsSpan(4), checked((ushort)rights.Count));
        BinaryPrimitives.WriteInt32LittleEndian(row.AsSpan(8), certificate.Length);
        BinaryPrimitives.WriteInt64LittleEndian(row.AsSpan(16), storedAt.Ticks);
        var rest = row.AsSpan(HeaderBytes);
        rest = rest[Encoding.UTF8.GetBytes(name, rest)..];
        // In an order of their own, so that the same rights are the same bytes.
        foreach (var (database, right) in rights.OrderBy(one => one.Key, StringComparer.Ordinal))
        {
            rest[0] = (byte)right;
            var bytes = Encoding.UTF8.GetBytes(database, rest[RightHeaderBytes..]);
            BinaryPrimitives.WriteUInt16LittleEndian(rest[1..], checked((ushort)bytes));
            rest = rest[(RightHeaderBytes + bytes)..];
        }
        Invariant.Require(rest.Length == certificate.Length);
        certificate.CopyTo(rest);
        return row;
    }

    /// <summary>Reads a row, and verifies that its certificate is the key's.</summary>
    /// <exception cref="CorruptedDataException">The row is not as this server writes it.</exception>
    public static StoredCertificate Read(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row)
    {
        try
        {
            return Parse(key, row);
        }
        catch (Exception e) when (e is InvariantViolationException or ArgumentException or IndexOutOfRangeException)
        {
            throw new CorruptedDataException(
                "System",
                0,
                $"the row {Convert.ToHexString(key)} of the tree '{Tree}' is no certificate ({e.Message}). Restore the folder from a copy."
            );
        }
    }

    private static StoredCertificate Parse(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length >= HeaderBytes && row[0] == Version);
        var clearance = (Clearance)(row[1] - 1);
        Invariant.Require(Enum.IsDefined(clearance));
        int nameBytes = BinaryPrimitives.ReadUInt16LittleEndian(row[2..]);
        int count = BinaryPrimitives.ReadUInt16LittleEndian(row[4..]);
        var name = Encoding.UTF8.GetString(row.Slice(HeaderBytes, nameBytes));
        var rights = new Dictionary<string, DatabaseRight>(count, StringComparer.OrdinalIgnoreCase);
        var rest = row[(HeaderBytes + nameBytes)..];
        for (var i = 0; i < count; i++)
        {
            var right = (DatabaseRight)rest[0];
            Invariant.Require(Enum.IsDefined(right));
            int bytes = BinaryPrimitives.ReadUInt16LittleEndian(rest[1..]);
            rights.Add(Encoding.UTF8.GetString(rest.Slice(RightHeaderBytes, bytes)), right);
            rest = rest[(RightHeaderBytes + bytes)..];
        }
        Invariant.Require(rest.Length == BinaryPrimitives.ReadInt32LittleEndian(row[8..]));
        var isCertificate = CertificateFacts.TryRead(rest, out var facts);
        Invariant.Require(isCertificate && facts.Hash == CertificateHash.FromBytes(key));
        var storedAt = new DateTime(BinaryPrimitives.ReadInt64LittleEndian(row[16..]), DateTimeKind.Utc);
        return new StoredCertificate(facts, CertificateFacts.Thumbprint(rest), name, clearance, rights, storedAt);
    }

    /// <summary>The certificate's bytes within a row.</summary>
    public static ReadOnlyMemory<byte> Certificate(ReadOnlyMemory<byte> row) =>
        row[^BinaryPrimitives.ReadInt32LittleEndian(row.Span[8..])..];
}

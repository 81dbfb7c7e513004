using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>A SHA-256 as a key of look-ups, without an array.</summary>
internal readonly record struct CertificateHash(ulong First, ulong Second, ulong Third, ulong Fourth)
{
    /// <summary>Hashes bytes.</summary>
    public static CertificateHash Of(ReadOnlySpan<byte> bytes)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(bytes, hash);
        return FromBytes(hash);
    }

    /// <summary>Takes the 32 bytes of a hash.</summary>
    public static CertificateHash FromBytes(ReadOnlySpan<byte> hash)
    {
        Storage.Invariant.Require(hash.Length == SHA256.HashSizeInBytes);
        var parts = MemoryMarshal.Cast<byte, ulong>(hash);
        return new CertificateHash(parts[0], parts[1], parts[2], parts[3]);
    }

    /// <summary>The 32 bytes.</summary>
    public byte[] ToBytes() => MemoryMarshal.AsBytes<ulong>([First, Second, Third, Fourth]).ToArray();

    /// <summary>64 capital hexadecimal digits.</summary>
    public override string ToString() => Convert.ToHexString(ToBytes());
}

using System.Globalization;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>A new key and a certificate of it for a client, signed by itself. The key exists in these files only.</summary>
/// <param name="Certificate">DER.</param>
/// <param name="Pfx">Certificate and key, with the password that was asked for.</param>
/// <param name="CertificatePem">The certificate.</param>
/// <param name="KeyPem">The key: <c>RSA PRIVATE KEY</c>, or <c>ENCRYPTED PRIVATE KEY</c> where there is a password.</param>
internal sealed record GeneratedCertificate(byte[] Certificate, byte[] Pfx, string CertificatePem, string KeyPem)
{
    /// <summary>What the protocol gives to a certificate whose end nobody names: five years.</summary>
    public const int DefaultValidityDays = 1_826;

    private const int KeyBits = 3_072;
    private const int SerialNumberBytes = 16;

    /// <summary>X.520 allows no longer common name.</summary>
    private const int MaxCommonNameLength = 64;

    private const int PasswordIterations = 100_000;

    /// <summary>For clients whose clock is behind.</summary>
    private static readonly TimeSpan s_clockSkew = TimeSpan.FromHours(1);

    /// <summary>Makes a key, which takes some tenths of a second of a processor.</summary>
    /// <param name="name">The certificate's common name.</param>
    /// <param name="now">The begin of its validity.</param>
    /// <param name="until">The end of its validity.</param>
    /// <param name="password">Of the files; null or empty for none.</param>
    /// <exception cref="CertificateException">The end lies in the past, or too far away.</exception>
    public static GeneratedCertificate Make(string name, DateTimeOffset now, DateTimeOffset until, string? password)
    {
        if (until <= now)
            throw new CertificateException(
                string.Create(CultureInfo.InvariantCulture, $"The certificate would expire at {until.UtcDateTime:u}, which is in the past.")
            );
        if (until - now > TimeSpan.FromDays(CertificateLimits.MaxValidityDays))
            throw new CertificateException(
                $"A generated certificate is valid for at most {CertificateLimits.MaxValidityDays:N0} days "
                    + "(CertificateLimits.MaxValidityDays)."
            );
        using var key = RSA.Create(KeyBits);
        var subject = new X500DistinguishedNameBuilder();
        subject.AddCommonName(name.Length > MaxCommonNameLength ? name[..MaxCommonNameLength] : name);
        var request = new CertificateRequest(subject.Build(), key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.2")], critical: false));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        var serialNumber = RandomNumberGenerator.GetBytes(SerialNumberBytes);
        // Positive, and not shortened.
        serialNumber[0] = (byte)((serialNumber[0] & 0x3F) | 0x40);
        using var signed = request.Create(
            request.SubjectName,
            X509SignatureGenerator.CreateForRSA(key, RSASignaturePadding.Pkcs1),
            now - s_clockSkew,
            until,
            serialNumber
        );
        using var withKey = signed.CopyWithPrivateKey(key);
        var protection = new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, PasswordIterations);
        return new GeneratedCertificate(
            signed.RawData,
            withKey.ExportPkcs12(protection, password),
            signed.ExportCertificatePem() + "\n",
            (string.IsNullOrEmpty(password) ? key.ExportRSAPrivateKeyPem() : key.ExportEncryptedPkcs8PrivateKeyPem(password, protection))
                + "\n"
        );
    }

    /// <summary>An archive of the files: <c>.pfx</c>, <c>.crt</c>, <c>.key</c>, and <c>.pem</c> with certificate and key.</summary>
    public byte[] Zip(string name)
    {
        var file = FileName(name);
        using var bytes = new MemoryStream();
        using (var archive = new ZipArchive(bytes, ZipArchiveMode.Create, leaveOpen: true))
        {
            Add(archive, $"{file}.pfx", Pfx);
            Add(archive, $"{file}.crt", Encoding.ASCII.GetBytes(CertificatePem));
            Add(archive, $"{file}.key", Encoding.ASCII.GetBytes(KeyPem));
            Add(archive, $"{file}.pem", Encoding.ASCII.GetBytes(CertificatePem + KeyPem));
        }
        return bytes.ToArray();
    }

    /// <summary>A name as a file's name.</summary>
    public static string FileName(string name)
    {
        var plain = string.Concat(name.Select(letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.' ? letter : '_'));
        plain = plain.Trim('.');
        return plain.Length == 0 ? "certificate"
            : plain.Length > MaxCommonNameLength ? plain[..MaxCommonNameLength]
            : plain;
    }

    private static void Add(ZipArchive archive, string name, byte[] content)
    {
        // A key does not compress.
        using var entry = archive.CreateEntry(name, CompressionLevel.NoCompression).Open();
        entry.Write(content);
    }
}

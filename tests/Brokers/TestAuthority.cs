using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Brokers;

/// <summary>An authority that nobody but tests trusts, and what it has signed: files in PEM form, gone with it.</summary>
public sealed class TestAuthority : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-authority-").FullName;
    private readonly X509Certificate2 _certificate;
    private int _issued;

    /// <summary>A new one.</summary>
    public TestAuthority(string name = "Jackdaw's test authority")
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true)
        );
        _certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-3), DateTimeOffset.UtcNow.AddDays(3));
        CertificateFile = Write("authority.pem", _certificate.ExportCertificatePem());
    }

    /// <summary>Its own certificate.</summary>
    public string CertificateFile { get; }

    /// <summary>A certificate with its key, for either side of a connection; the caller's.</summary>
    /// <param name="name">The common name, and the host's.</param>
    /// <param name="hasEnded">It was good until yesterday.</param>
    /// <param name="isEarly">It is good from tomorrow on.</param>
    /// <param name="isRsa">Its key is RSA; else one on an elliptic curve.</param>
    public X509Certificate2 Issue(string name, bool hasEnded = false, bool isEarly = false, bool isRsa = false)
    {
        using AsymmetricAlgorithm key = isRsa ? RSA.Create(2048) : ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return Sign(name, key, hasEnded, isEarly);
    }

    /// <summary>Another certificate for the key of one on an elliptic curve, as a renewal makes it; the caller's.</summary>
    public X509Certificate2 Renew(X509Certificate2 former)
    {
        using var key = former.GetECDsaPrivateKey()!;
        return Sign(former.GetNameInfo(X509NameType.SimpleName, forIssuer: false), key, hasEnded: false, isEarly: false);
    }

    private X509Certificate2 Sign(string name, AsymmetricAlgorithm key, bool hasEnded, bool isEarly)
    {
        var request = key is RSA rsa
            ? new CertificateRequest($"CN={name}", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            : new CertificateRequest($"CN={name}", (ECDsa)key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name);
        request.CertificateExtensions.Add(names.Build());
        byte[] number = [1, 2, 3, (byte)Interlocked.Increment(ref _issued)];
        using var authority = _certificate.GetECDsaPrivateKey()!;
        using var signed = request.Create(
            _certificate.SubjectName,
            X509SignatureGenerator.CreateForECDsa(authority),
            DateTimeOffset.UtcNow.AddDays(isEarly ? 1 : -2),
            DateTimeOffset.UtcNow.AddDays(hasEnded ? -1 : 2),
            number
        );
        using var withKey = key is RSA own ? signed.CopyWithPrivateKey(own) : signed.CopyWithPrivateKey((ECDsa)key);
        return X509CertificateLoader.LoadPkcs12(withKey.Export(X509ContentType.Pfx), null, X509KeyStorageFlags.Exportable);
    }

    /// <summary>Likewise, as two files.</summary>
    public (string CertificateFile, string KeyFile) IssueFiles(string name, bool hasEnded = false)
    {
        using var certificate = Issue(name, hasEnded);
        using var key = certificate.GetECDsaPrivateKey()!;
        return (
            Write($"{name}-{_issued}.pem", certificate.ExportCertificatePem()),
            Write($"{name}-{_issued}.key.pem", key.ExportPkcs8PrivateKeyPem())
        );
    }

    /// <summary>A file that goes with this authority.</summary>
    public string Write(string name, string text) => Write(name, System.Text.Encoding.UTF8.GetBytes(text));

    /// <summary>Likewise.</summary>
    public string Write(string name, byte[] bytes)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    /// <inheritdoc />
    public void Dispose()
    {
        _certificate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}

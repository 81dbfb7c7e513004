using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Tests.Security.Tls;

/// <summary>A folder with certificates that the test makes, gone with the test.</summary>
[SupportedOSPlatform("linux")]
internal sealed class CertificateFolder : IDisposable
{
    private int _made;

    public string Folder { get; } = Directory.CreateTempSubdirectory("jackdaw-tls-").FullName;

    public ManualClock Clock { get; } = new(DateTimeOffset.UtcNow);

    public ServerAlerts Alerts { get; } = new();

    /// <summary>A certificate with its key; by default valid from yesterday until in a year.</summary>
    public X509Certificate2 Make(
        string name = "localhost",
        TimeSpan? begins = null,
        TimeSpan? ends = null,
        bool isRsa = false,
        X509Certificate2? issuer = null,
        bool isAuthority = false,
        X509Extension? extension = null
    )
    {
        using AsymmetricAlgorithm key = isRsa ? RSA.Create(2048) : ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = key is RSA rsa
            ? new CertificateRequest($"CN={name}", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            : new CertificateRequest($"CN={name}", (ECDsa)key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name.Replace(' ', '-'));
        request.CertificateExtensions.Add(names.Build());
        if (isAuthority)
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        if (extension is not null)
            request.CertificateExtensions.Add(extension);
        var from = Clock.GetUtcNow() + (begins ?? TimeSpan.FromDays(-1));
        var to = Clock.GetUtcNow() + (ends ?? TimeSpan.FromDays(365));
        if (issuer is null)
            return Exportable(request.CreateSelfSigned(from, to));
        using var signed = request.Create(issuer, from, to, [7, (byte)++_made]);
        return Exportable(key is RSA own ? signed.CopyWithPrivateKey(own) : signed.CopyWithPrivateKey((ECDsa)key));
    }

    public string Write(string name, byte[] bytes)
    {
        var path = Path.Combine(Folder, name);
        File.WriteAllBytes(path, bytes);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return path;
    }

    public string Write(string name, string text) => Write(name, System.Text.Encoding.UTF8.GetBytes(text));

    public string WritePfx(X509Certificate2 certificate, string? password = null, string name = "server.pfx") =>
        Write(name, certificate.Export(X509ContentType.Pfx, password));

    /// <summary>Opens what the settings name.</summary>
    public ServerCertificate Open(string path, string? keyPath = null, string? password = null)
    {
        string[] settings =
        [
            "--ServerUrl=https://127.0.0.1:0",
            $"--Security.Certificate.Path={path}",
            .. keyPath is null ? [] : (string[])[$"--Security.Certificate.KeyPath={keyPath}"],
            .. password is null ? [] : (string[])[$"--Security.Certificate.Password={password}"],
        ];
        return ServerCertificate.Open(ServerConfiguration.Read(settings, new System.Collections.Hashtable()), Alerts, Clock)!;
    }

    public static string KeyPem(X509Certificate2 certificate)
    {
        using var key = (AsymmetricAlgorithm?)certificate.GetRSAPrivateKey() ?? certificate.GetECDsaPrivateKey()!;
        return key.ExportPkcs8PrivateKeyPem();
    }

    public static string EncryptedKeyPem(X509Certificate2 certificate, string password)
    {
        using var key = (AsymmetricAlgorithm?)certificate.GetRSAPrivateKey() ?? certificate.GetECDsaPrivateKey()!;
        return key.ExportEncryptedPkcs8PrivateKeyPem(
            password,
            new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000)
        );
    }

    /// <summary>Has a link point elsewhere in one step, as Kubernetes does: a new link is renamed to the old one's name.</summary>
    public async Task ReplaceLinkAsync(string name, string target)
    {
        var next = Path.Combine(Folder, name + "_tmp");
        File.CreateSymbolicLink(next, target);
        using var move = System.Diagnostics.Process.Start("mv", ["-T", next, Path.Combine(Folder, name)]);
        await move.WaitForExitAsync();
        Assert.Equal(0, move.ExitCode);
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    private static X509Certificate2 Exportable(X509Certificate2 certificate)
    {
        using (certificate)
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pfx), null, X509KeyStorageFlags.Exportable);
    }
}

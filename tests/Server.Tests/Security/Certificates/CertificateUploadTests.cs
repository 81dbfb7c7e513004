using System.IO.Compression;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

public sealed class CertificateUploadTests : IDisposable
{
    private readonly ClientKey _key = new();

    public void Dispose() => _key.Dispose();

    [Fact]
    public void Each_form_of_a_certificate_is_read_and_a_private_key_in_it_is_noticed()
    {
        using var certificate = _key.WithKey();
        var der = certificate.RawData;
        var pem = certificate.ExportCertificatePem();
        Same(CertificateUpload.FromText(Convert.ToBase64String(der), null), hadKey: false);
        Same(CertificateUpload.FromText(pem, null), hadKey: false);
        Same(CertificateUpload.FromText(Convert.ToBase64String(System.Text.Encoding.ASCII.GetBytes(pem)), null), hadKey: false);
        using var key = certificate.GetECDsaPrivateKey()!;
        Same(CertificateUpload.FromText(key.ExportPkcs8PrivateKeyPem() + "\r\n" + pem, null), hadKey: true);
        // Behind the client's certificate come those of its issuers.
        using var issuer = new ClientKey();
        Same(
            CertificateUpload.FromText("Bag Attributes\n" + pem + "\n" + issuer.Certificate().ExportCertificatePem(), null),
            hadKey: false
        );
        foreach (var password in new[] { null, "", "secret" })
            Same(CertificateUpload.FromFile(certificate.Export(X509ContentType.Pkcs12, password), password), hadKey: true);
        var alone = X509CertificateLoader.LoadCertificate(der);
        Same(CertificateUpload.FromFile(alone.Export(X509ContentType.Pkcs12, "x"), "x"), hadKey: false);
        var chain = new X509Certificate2Collection { issuer.Certificate(), certificate };
        Same(CertificateUpload.FromFile(chain.Export(X509ContentType.Pkcs12, "x")!, "x"), hadKey: true);

        void Same(CertificateUpload upload, bool hadKey)
        {
            Assert.Equal(der, upload.Certificate);
            Assert.Equal(hadKey, upload.HadPrivateKey);
        }
    }

    [Fact]
    public void What_is_no_certificate_is_refused_with_the_reason()
    {
        using var certificate = _key.WithKey();
        using var other = new ClientKey();
        var pfx = certificate.Export(X509ContentType.Pkcs12, "right");
        Refused(() => CertificateUpload.FromFile(pfx, "wrong"), "password is another one");
        Refused(() => CertificateUpload.FromFile(pfx, null), "Give the password");
        Refused(() => CertificateUpload.FromFile(pfx.AsSpan(0, pfx.Length / 2), "right"), "cannot be opened");
        Refused(() => CertificateUpload.FromText("no base64 !", null), "neither base64 nor PEM");
        Refused(() => CertificateUpload.FromText("", null), "empty");
        Refused(() => CertificateUpload.FromText("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", null), "not an X.509");
        Refused(
            () => CertificateUpload.FromText("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", null),
            "holds no CERTIFICATE"
        );
        Refused(() => CertificateUpload.FromFile(new byte[CertificateLimits.MaxUploadBytes + 1], null), "262,145 bytes");
        var two = new X509Certificate2Collection { X509CertificateLoader.LoadCertificate(certificate.RawData), other.Certificate() };
        Refused(() => CertificateUpload.FromFile(two.Export(X509ContentType.Pkcs12, "x")!, "x"), "2 certificates and no private key");

        static void Refused(Action read, string told) =>
            Assert.Contains(told, Assert.Throws<CertificateException>(read).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("a pass word")]
    public void A_generated_certificate_opens_in_each_of_its_forms(string? password)
    {
        var now = DateTimeOffset.UtcNow;
        var made = GeneratedCertificate.Make("Größe/1", now, now.AddDays(30), password);
        Assert.True(CertificateFacts.TryRead(made.Certificate, out var facts));
        Assert.True(facts.IsForClients);
        Assert.Equal(now.AddDays(30).UtcDateTime, facts.NotAfter, TimeSpan.FromSeconds(1));
        using var fromPfx = X509CertificateLoader.LoadPkcs12(made.Pfx, password);
        using var fromPem = password is null
            ? X509Certificate2.CreateFromPem(made.CertificatePem, made.KeyPem)
            : X509Certificate2.CreateFromEncryptedPem(made.CertificatePem, made.KeyPem, password);
        foreach (var opened in new[] { fromPfx, fromPem })
        {
            Assert.Equal(made.Certificate, opened.RawData);
            using var key = opened.GetRSAPrivateKey()!;
            Assert.Equal(3072, key.KeySize);
            using var open = opened.GetRSAPublicKey()!;
            Assert.True(
                open.VerifyData(
                    new byte[] { 1 },
                    key.SignData(new byte[] { 1 }, HashAlgorithmName.SHA256, RSASignaturePadding.Pss),
                    HashAlgorithmName.SHA256,
                    RSASignaturePadding.Pss
                )
            );
        }
        // The only form of key that the Node client finds in a PEM file.
        Assert.StartsWith(
            password is null ? "-----BEGIN RSA PRIVATE KEY-----" : "-----BEGIN ENCRYPTED PRIVATE KEY-----",
            made.KeyPem,
            StringComparison.Ordinal
        );
        using var archive = new ZipArchive(new MemoryStream(made.Zip("Größe/1")));
        Assert.Equal(["Gr__e_1.pfx", "Gr__e_1.crt", "Gr__e_1.key", "Gr__e_1.pem"], archive.Entries.Select(entry => entry.FullName));
        Assert.Throws<CertificateException>(() => GeneratedCertificate.Make("x", now, now, null));
        Assert.Throws<CertificateException>(() => GeneratedCertificate.Make("x", now, now.AddDays(3_651), null));
    }
}

using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Tests.Security.Tls;

/// <summary>Which files the server takes for its certificate, and what it says of those that it does not take.</summary>
[SupportedOSPlatform("linux")]
public sealed class CertificateOpeningTests : IDisposable
{
    private readonly CertificateFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true, null)]
    [InlineData(true, "secret")]
    [InlineData(false, null)]
    [InlineData(false, "secret")]
    public void A_pfx_file_opens_with_its_key(bool isRsa, string? password)
    {
        using var made = _folder.Make(isRsa: isRsa);
        using var opened = _folder.Open(_folder.WritePfx(made, password), password: password);
        Assert.Equal(made.Thumbprint, opened.Current.Thumbprint);
        Assert.True(opened.Current.HasPrivateKey);
        Assert.Empty(_folder.Alerts.All);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_pem_file_opens_with_its_key_in_it_or_beside_it_encrypted_or_not(bool isRsa)
    {
        using var made = _folder.Make(isRsa: isRsa);
        var pem = made.ExportCertificatePem() + "\n";
        using var inIt = _folder.Open(_folder.Write("both.pem", pem + CertificateFolder.KeyPem(made)));
        using var keyFirst = _folder.Open(_folder.Write("reversed.pem", CertificateFolder.KeyPem(made) + "\n" + pem));
        var alone = _folder.Write("alone.pem", pem);
        using var beside = _folder.Open(alone, _folder.Write("key.pem", CertificateFolder.KeyPem(made)));
        using var encrypted = _folder.Open(alone, _folder.Write("secret.pem", CertificateFolder.EncryptedKeyPem(made, "sesame")), "sesame");
        foreach (var opened in (ServerCertificate[])[inIt, keyFirst, beside, encrypted])
        {
            Assert.Equal(made.Thumbprint, opened.Current.Thumbprint);
            Assert.True(opened.Current.HasPrivateKey);
        }
    }

    [Fact]
    public void Certificates_of_authorities_are_sent_along_from_pfx_and_pem_whatever_their_order()
    {
        using var root = _folder.Make("Root", isAuthority: true);
        using var between = _folder.Make("Between", issuer: root, ends: TimeSpan.FromDays(300), isAuthority: true);
        using var own = _folder.Make(issuer: between, ends: TimeSpan.FromDays(200));
        using var betweenAlone = X509CertificateLoader.LoadCertificate(between.RawData);
        var pfx = new X509Certificate2Collection { own, betweenAlone }.Export(X509ContentType.Pfx)!;
        var pem = between.ExportCertificatePem() + "\n" + own.ExportCertificatePem() + "\n" + CertificateFolder.KeyPem(own);
        using var fromPfx = _folder.Open(_folder.Write("chain.pfx", pfx));
        using var fromPem = _folder.Open(_folder.Write("chain.pem", pem));
        foreach (var opened in (ServerCertificate[])[fromPfx, fromPem])
        {
            Assert.Equal(own.Thumbprint, opened.Current.Thumbprint);
            Assert.Equal(between.Thumbprint, Assert.Single(opened.Loaded.Authorities).Thumbprint);
        }
    }

    [Fact]
    public void What_cannot_be_used_is_refused_with_its_path_and_the_next_step()
    {
        using var made = _folder.Make();
        using var other = _folder.Make("other");
        var pem = _folder.Write("certificate.pem", made.ExportCertificatePem());
        var encrypted = _folder.Write("encrypted.pem", CertificateFolder.EncryptedKeyPem(made, "sesame"));
        var locked = _folder.WritePfx(made, "secret", "locked.pfx");
        using var keyless = X509CertificateLoader.LoadCertificate(made.RawData);
        Refused(Path.Combine(_folder.Folder, "missing.pfx"), "does not exist");
        Refused(_folder.Folder, "is a folder");
        Refused(locked, "needs a password (Security.Certificate.Password)");
        Refused(locked, "the password (Security.Certificate.Password) is wrong", password: "other");
        Refused(_folder.Write("keyless.pfx", keyless.Export(X509ContentType.Pfx)), "no private key");
        Refused(pem, "no private key");
        Refused(pem, "does not exist", keyPath: Path.Combine(_folder.Folder, "missing.key"));
        Refused(pem, "belongs to no certificate", keyPath: _folder.Write("other.key", CertificateFolder.KeyPem(other)));
        Refused(pem, "needs a password", keyPath: encrypted);
        Refused(pem, "is wrong", keyPath: encrypted, password: "nonsense");
        Refused(_folder.Write("key.pem", CertificateFolder.KeyPem(made)), "holds no certificate");
        Refused(_folder.Write("empty.pfx", ""), "neither a whole PFX file nor a PEM file");
        Refused(_folder.Write("text.pfx", "This is no certificate."), "neither a whole PFX file nor a PEM file");
        Refused(_folder.Write("torn.pfx", made.Export(X509ContentType.Pfx)[..200]), "neither a whole PFX file nor a PEM file");
        Refused(_folder.Write("public.cer", made.RawData), "neither a whole PFX file nor a PEM file");
        Refused(_folder.Write("torn.pem", made.ExportCertificatePem()[..300]), "holds no certificate");
        Refused(_folder.Write("huge.pfx", new byte[TlsLimits.MaxCertificateFileBytes + 1]), "the limit is");
        Refused(locked, "is no PEM file", keyPath: pem, password: "secret");
        var many = new StringBuilder();
        for (var i = 0; i <= TlsLimits.MaxCertificates; i++)
            many.AppendLine(made.ExportCertificatePem());
        Refused(_folder.Write("many.pem", many.Append(CertificateFolder.KeyPem(made)).ToString()), "the limit is 32");
    }

    [Fact]
    public void An_expired_or_not_yet_valid_certificate_is_refused_with_its_day()
    {
        using var expired = _folder.Make(begins: TimeSpan.FromDays(-10), ends: TimeSpan.FromDays(-1));
        using var early = _folder.Make(begins: TimeSpan.FromDays(1));
        Refused(_folder.WritePfx(expired), $"expired on {CertificateOpening.Moment(expired.NotAfter)}");
        Refused(_folder.WritePfx(early), $"is not valid before {CertificateOpening.Moment(early.NotBefore)}");
    }

    [Fact]
    public void A_key_that_everyone_may_read_is_an_alert_until_its_rights_are_changed()
    {
        using var made = _folder.Make();
        var path = _folder.WritePfx(made);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        using var opened = _folder.Open(path);
        Assert.Contains(path, Assert.Single(_folder.Alerts.All).Message);
        File.SetUnixFileMode(path, UnixFileMode.UserRead);
        opened.Look();
        Assert.Empty(_folder.Alerts.All);
    }

    private void Refused(string path, string reason, string? keyPath = null, string? password = null)
    {
        var refusal = Assert.Throws<ConfigurationException>(() => _folder.Open(path, keyPath, password).Dispose());
        Assert.Contains(reason, refusal.Message);
        Assert.Contains(keyPath is not null && !refusal.Message.Contains(path, StringComparison.Ordinal) ? keyPath : path, refusal.Message);
    }
}

using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Tests.Security.Tls;

/// <summary>The server's certificate follows its files.</summary>
[SupportedOSPlatform("linux")]
public sealed class ServerCertificateTests : IDisposable
{
    private readonly CertificateFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_replaced_file_is_taken_and_told_once()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        var told = new List<string>();
        using var certificate = _folder.Open(_folder.WritePfx(first));
        certificate.Changed += current => told.Add(current.Thumbprint);
        Assert.False(certificate.Look());
        _folder.WritePfx(second);
        Assert.True(certificate.Look());
        Assert.False(certificate.Look());
        Assert.Equal([second.Thumbprint], told);
        Assert.Equal(second.Thumbprint, certificate.Current.Thumbprint);
    }

    [Fact]
    public void A_half_written_file_leaves_the_old_one_in_place_with_an_alert_until_it_is_whole()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        var logged = new List<string>();
        var path = _folder.WritePfx(first);
        using var certificate = _folder.Open(path);
        certificate.Told = logged.Add;
        var whole = second.Export(X509ContentType.Pfx);
        foreach (var length in (int[])[0, 1, whole.Length / 2, whole.Length - 1])
        {
            _folder.Write("server.pfx", whole[..length]);
            Assert.False(certificate.Look());
            Assert.Equal(first.Thumbprint, certificate.Current.Thumbprint);
            var alert = Assert.Single(_folder.Alerts.All);
            Assert.Equal((ServerCertificate.ReloadAlert, Alert.Error), (alert.Source, alert.Severity));
            Assert.Contains(path, alert.Message);
        }
        _folder.Write("server.pfx", whole);
        Assert.True(certificate.Look());
        Assert.Equal(second.Thumbprint, certificate.Current.Thumbprint);
        Assert.Empty(_folder.Alerts.All);
    }

    [Fact]
    public void A_failure_is_logged_once_however_often_the_files_are_looked_at()
    {
        using var first = _folder.Make();
        var logged = new List<string>();
        using var certificate = _folder.Open(_folder.WritePfx(first));
        certificate.Told = logged.Add;
        _folder.Write("server.pfx", "nonsense");
        for (var i = 0; i < 5; i++)
            certificate.Look();
        Assert.Single(logged);
    }

    [Fact]
    public void The_old_file_put_back_ends_the_alert()
    {
        using var first = _folder.Make();
        var path = _folder.WritePfx(first);
        var bytes = File.ReadAllBytes(path);
        using var certificate = _folder.Open(path);
        File.Delete(path);
        certificate.Look();
        Assert.Single(_folder.Alerts.All);
        _folder.Write("server.pfx", bytes);
        Assert.False(certificate.Look());
        Assert.Empty(_folder.Alerts.All);
    }

    [Fact]
    public void A_certificate_whose_key_comes_later_is_taken_when_both_are_there()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        var path = _folder.Write("tls.crt", first.ExportCertificatePem());
        var keyPath = _folder.Write("tls.key", CertificateFolder.KeyPem(first));
        using var certificate = _folder.Open(path, keyPath);
        _folder.Write("tls.crt", second.ExportCertificatePem());
        Assert.False(certificate.Look());
        Assert.Equal(first.Thumbprint, certificate.Current.Thumbprint);
        _folder.Write("tls.key", CertificateFolder.KeyPem(second));
        Assert.True(certificate.Look());
        Assert.Equal(second.Thumbprint, certificate.Current.Thumbprint);
        Assert.Empty(_folder.Alerts.All);
    }

    /// <summary>As Kubernetes mounts a secret: links to a folder behind a link, which alone is replaced.</summary>
    [Fact]
    public async Task A_link_above_the_files_that_is_replaced_is_followed()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        foreach (var (name, made) in (ReadOnlySpan<(string, X509Certificate2)>)[("..1", first), ("..2", second)])
        {
            Directory.CreateDirectory(Path.Combine(_folder.Folder, name));
            _folder.Write($"{name}/tls.crt", made.ExportCertificatePem());
            _folder.Write($"{name}/tls.key", CertificateFolder.KeyPem(made));
        }
        string At(string name) => Path.Combine(_folder.Folder, name);
        File.CreateSymbolicLink(At("..data"), "..1");
        File.CreateSymbolicLink(At("tls.crt"), "..data/tls.crt");
        File.CreateSymbolicLink(At("tls.key"), "..data/tls.key");
        using var certificate = _folder.Open(At("tls.crt"), At("tls.key"));
        await _folder.ReplaceLinkAsync("..data", "..2");
        Assert.True(certificate.Look());
        Assert.Equal(second.Thumbprint, certificate.Current.Thumbprint);
    }

    [Fact]
    public void A_certificate_that_is_not_valid_yet_is_taken_when_it_is()
    {
        using var first = _folder.Make();
        using var second = _folder.Make(begins: TimeSpan.FromHours(1));
        using var certificate = _folder.Open(_folder.WritePfx(first));
        _folder.WritePfx(second);
        Assert.False(certificate.Look());
        Assert.Contains("is not valid before", Assert.Single(_folder.Alerts.All).Message);
        _folder.Clock.Advance(TimeSpan.FromHours(2));
        Assert.True(certificate.Look());
        Assert.Empty(_folder.Alerts.All);
    }

    [Fact]
    public void An_alert_begins_30_days_before_the_certificate_expires_and_ends_with_a_renewed_one()
    {
        using var first = _folder.Make(ends: TimeSpan.FromDays(31));
        using var second = _folder.Make();
        using var certificate = _folder.Open(_folder.WritePfx(first));
        certificate.Look();
        Assert.Empty(_folder.Alerts.All);
        _folder.Clock.Advance(TimeSpan.FromDays(1.5));
        certificate.Look();
        Assert.Equal((ServerCertificate.ExpiryAlert, Alert.Warning), Only());
        _folder.Clock.Advance(TimeSpan.FromDays(30));
        certificate.Look();
        Assert.Equal((ServerCertificate.ExpiryAlert, Alert.Error), Only());
        _folder.WritePfx(second);
        Assert.True(certificate.Look());
        Assert.Empty(_folder.Alerts.All);

        (string, string) Only()
        {
            var alert = Assert.Single(_folder.Alerts.All);
            return (alert.Source, alert.Severity);
        }
    }

    [Fact]
    public async Task The_file_system_tells_of_a_replaced_file_and_of_a_replaced_link_long_before_the_next_look()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        using var third = _folder.Make();
        Directory.CreateDirectory(Path.Combine(_folder.Folder, "..1"));
        Directory.CreateDirectory(Path.Combine(_folder.Folder, "..2"));
        _folder.WritePfx(first, name: "..1/server.pfx");
        _folder.WritePfx(third, name: "..2/server.pfx");
        string At(string name) => Path.Combine(_folder.Folder, name);
        File.CreateSymbolicLink(At("..data"), "..1");
        File.CreateSymbolicLink(At("linked.pfx"), "..data/server.pfx");
        using var direct = _folder.Open(_folder.WritePfx(first));
        using var linked = _folder.Open(At("linked.pfx"));
        // A clock that stands still: no look comes of itself.
        using var watch = new CertificateWatch(direct, interval: Timeout.InfiniteTimeSpan);
        using var other = new CertificateWatch(linked, interval: Timeout.InfiniteTimeSpan);
        _folder.WritePfx(second);
        await Eventually.IsAsync(() => direct.Current.Thumbprint == second.Thumbprint);
        await _folder.ReplaceLinkAsync("..data", "..2");
        await Eventually.IsAsync(() => linked.Current.Thumbprint == third.Thumbprint);
    }

    [Fact]
    public async Task Without_a_word_of_the_file_system_the_files_are_looked_at_all_the_same()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        using var certificate = _folder.Open(_folder.WritePfx(first));
        using var watch = new CertificateWatch(certificate, interval: TimeSpan.FromMilliseconds(20), listens: false);
        _folder.WritePfx(second);
        await Eventually.IsAsync(() => certificate.Current.Thumbprint == second.Thumbprint);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("secret")]
    public void A_certificate_that_is_replaced_by_request_is_taken_at_once_and_opens_at_the_next_start(string? password)
    {
        using var first = _folder.Make();
        using var root = _folder.Make("Root", isAuthority: true);
        using var second = _folder.Make(issuer: root, ends: TimeSpan.FromDays(100));
        using var rootAlone = X509CertificateLoader.LoadCertificate(root.RawData);
        var path = _folder.WritePfx(first, password);
        using var certificate = _folder.Open(path, password: password);
        certificate.Replace(new X509Certificate2Collection { second, rootAlone }.Export(X509ContentType.Pfx, "other")!, "other");
        Assert.Equal(second.Thumbprint, certificate.Current.Thumbprint);
        Assert.Empty(_folder.Alerts.All);
        using var again = _folder.Open(path, password: password);
        Assert.Equal(second.Thumbprint, again.Current.Thumbprint);
        Assert.Equal(root.Thumbprint, Assert.Single(again.Loaded.Authorities).Thumbprint);
        Assert.Equal([path], Directory.GetFiles(_folder.Folder));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
    }

    [Fact]
    public void What_cannot_be_replaced_by_request_stays_and_is_told()
    {
        using var first = _folder.Make();
        using var second = _folder.Make();
        using var expired = _folder.Make(begins: TimeSpan.FromDays(-9), ends: TimeSpan.FromDays(-1));
        var pfx = second.Export(X509ContentType.Pfx)!;
        var path = _folder.WritePfx(first);
        var before = File.ReadAllBytes(path);
        using (var certificate = _folder.Open(path))
        {
            Refused(certificate, [1, 2, 3], "neither a whole PFX file");
            Refused(certificate, expired.Export(X509ContentType.Pfx), "expired");
            Refused(certificate, second.RawData, "neither a whole PFX file");
            Refused(certificate, second.Export(X509ContentType.Pfx, "x"), "needs a password");
        }
        Assert.Equal(before, File.ReadAllBytes(path));
        File.CreateSymbolicLink(Path.Combine(_folder.Folder, "linked.pfx"), "server.pfx");
        using (var linked = _folder.Open(Path.Combine(_folder.Folder, "linked.pfx")))
            Refused(linked, pfx, "symbolic link");
        using var pem = _folder.Open(_folder.Write("server.pem", first.ExportCertificatePem() + "\n" + CertificateFolder.KeyPem(first)));
        Refused(pem, pfx, "PEM file");
    }

    private static void Refused(ServerCertificate certificate, byte[] pfx, string reason)
    {
        var before = certificate.Current.Thumbprint;
        Assert.Contains(reason, Assert.Throws<CertificateFileException>(() => certificate.Replace(pfx, null)).Message);
        certificate.Look();
        Assert.Equal(before, certificate.Current.Thumbprint);
    }
}

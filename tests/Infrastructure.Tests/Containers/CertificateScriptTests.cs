using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Containers;

/// <summary>The certificates that compose.yaml makes.</summary>
public sealed class CertificateScriptTests
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private static readonly string s_script = Checkout.At("infra", "container", "make-certificates");

    [ProgramFact("openssl")]
    public async Task The_server_and_each_client_get_a_certificate_with_a_key_of_its_own()
    {
        using var folder = new Folder();
        await Command.MustAsync(
            s_script,
            [folder.At("made"), "functions"],
            new Dictionary<string, string> { ["SERVER_NAMES"] = "db db.example" }
        );

        using var server = X509CertificateLoader.LoadPkcs12FromFile(folder.At("made", "server.pfx"), null);
        using var client = X509CertificateLoader.LoadPkcs12FromFile(folder.At("made", "functions.pfx"), null);

        Assert.True(server.HasPrivateKey && client.HasPrivateKey);
        Assert.NotEqual(server.GetPublicKeyString(), client.GetPublicKeyString());
        Assert.True(server.MatchesHostname("db.example") && server.MatchesHostname("127.0.0.1"));
        Assert.Equal([ServerAuthentication, ClientAuthentication], Usages(server));
        Assert.Equal([ClientAuthentication], Usages(client));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(folder.At("made", "server.pfx")));
    }

    [ProgramFact("openssl")]
    public async Task The_pin_is_that_of_the_server_s_public_key()
    {
        using var folder = new Folder();
        await Command.MustAsync(s_script, [folder.At("made")]);

        using var server = X509CertificateLoader.LoadPkcs12FromFile(folder.At("made", "server.pfx"), null);

        var digest = SHA256.HashData(server.PublicKey.ExportSubjectPublicKeyInfo());
        Assert.Equal($"pin:{Convert.ToBase64String(digest)}\n", await File.ReadAllTextAsync(folder.At("made", "server.pin")));
    }

    [ProgramFact("openssl")]
    public async Task Certificates_that_are_there_are_kept_and_one_that_is_missing_is_made()
    {
        using var folder = new Folder();
        await Command.MustAsync(s_script, [folder.At("made"), "functions"]);
        var before = await File.ReadAllBytesAsync(folder.At("made", "server.pfx"));

        var output = await Command.MustAsync(s_script, [folder.At("made"), "functions", "admin"]);

        Assert.Equal(before, await File.ReadAllBytesAsync(folder.At("made", "server.pfx")));
        Assert.Contains("admin.pfx", output, StringComparison.Ordinal);
        Assert.DoesNotContain("functions.pfx", output, StringComparison.Ordinal);
    }

    private static string[] Usages(X509Certificate2 certificate) =>
        [.. certificate.Extensions.OfType<X509EnhancedKeyUsageExtension>().Single().EnhancedKeyUsages.Cast<Oid>().Select(o => o.Value!)];
}

using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Certificates;

public sealed class OfficialClientCertificateTests
{
    [Fact]
    public async Task The_official_client_makes_uploads_lists_edits_and_deletes_certificates_and_connects_with_them()
    {
        await using var scene = new SecuredServer();
        await scene.DoAsync("admin", "--name", "ops", "--password", "secret");
        await using var elsewhere = new SecuredServer();
        await elsewhere.DoAsync("client", "--name", "partner", "--out", scene.PathOf("partner.pfx"));
        await scene.StartAsync();
        await NodeScript.RunAsync(
            "certificates.mjs",
            scene.Url,
            TimeSpan.FromMinutes(2),
            new Dictionary<string, string> { ["JACKDAW_FOLDER"] = scene.Folder }
        );
    }
}

using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security.Certificates;

public sealed class CertificatesEndpointTests : IDisposable
{
    private const string Path = "/admin/certificates";

    private readonly List<ClientKey> _keys = [];

    public void Dispose()
    {
        foreach (var key in _keys)
            key.Dispose();
    }

    [Fact]
    public async Task A_server_without_certificates_can_be_prepared()
    {
        await using var scene = await ServerScene.OpenAsync();
        var answer = await scene.RequestAsync("POST", Path, body: """{"Name":"ops","SecurityClearance":"ClusterAdmin","Permissions":{}}""");
        Assert.Equal((201, "application/zip"), (answer.Status, answer.Headers["Content-Type"]));
        Assert.Equal("no-store", answer.Headers["Cache-Control"]);
        var listed = Assert.Single(await ListAsync(scene, ""));
        Assert.Equal("ops", listed.GetProperty("Name").GetString());
        Assert.True(listed.GetProperty("Certificate").GetBytesFromBase64().Length > 500);
        var me = await scene.RequestAsync("GET", "/certificates/whoami");
        Assert.Equal("ClusterAdmin", me.Json.GetProperty("SecurityClearance").GetString());
    }

    [Fact]
    public async Task An_upload_with_its_key_is_stored_without_it_and_says_so()
    {
        await using var scene = await ServerScene.OpenAsync();
        var pfx = Convert.ToBase64String(Key().WithKey().Export(X509ContentType.Pkcs12));
        var answer = await PutAsync(
            scene,
            $$$"""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"{{{pfx}}}","Permissions":{"db":"Read"}}"""
        );
        Assert.Equal((201, ""), (answer.Status, answer.Text));
        Assert.Contains("thrown away", answer.Headers["Jackdaw-Notice"], StringComparison.Ordinal);
        var stored = Assert.Single(await ListAsync(scene, "?name=A"));
        using var certificate = X509CertificateLoader.LoadCertificate(stored.GetProperty("Certificate").GetBytesFromBase64());
        Assert.False(certificate.HasPrivateKey);
    }

    [Theory]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C"}""", 201, "")]
    [InlineData("""{"name":"a","securityClearance":"validuser","certificate":"%C","permissions":{"db":"readwrite"}}""", 201, "")]
    [InlineData("""{"SecurityClearance":"ValidUser","Certificate":"%C"}""", 400, "no Name")]
    [InlineData("""{"Name":"a","Certificate":"%C"}""", 400, "no SecurityClearance")]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser"}""", 400, "no Certificate")]
    [InlineData("""{"Name":"a","SecurityClearance":"2","Certificate":"%C"}""", 400, "ValidUser, Operator or ClusterAdmin")]
    [InlineData("""{"Name":"a","SecurityClearance":"UnauthenticatedClients","Certificate":"%C"}""", 400, "nobody without one")]
    [InlineData("""{"Name":"a","SecurityClearance":"ClusterNode","Certificate":"%C"}""", 400, "single node")]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C","Permissions":["db"]}""", 400, "must be an object")]
    [InlineData(
        """{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C","Permissions":{"db":"All"}}""",
        400,
        "Read, ReadWrite or Admin"
    )]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C","Permissions":{"db":1}}""", 400, "must be a text")]
    [InlineData(
        """{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C","Permissions":{"db":"Read","DB":"Read"}}""",
        400,
        "twice"
    )]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%C","TwoFactorAuthenticationKey":"x"}""", 501, "Two-factor")]
    [InlineData("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"%X"}""", 400, "Give the password")]
    [InlineData("[]", 400, "JSON object")]
    [InlineData("", 400, "no body")]
    public async Task Bad_bodies_are_refused_with_the_member_that_is_wrong_and_store_nothing(string body, int status, string told)
    {
        await using var scene = await ServerScene.OpenAsync();
        var certificate = Convert.ToBase64String(Key().Certificate().RawData);
        var large = Convert.ToBase64String(new byte[102_400]);
        var answer = await PutAsync(
            scene,
            body.Replace("%C", certificate, StringComparison.Ordinal).Replace("%X", large, StringComparison.Ordinal)
        );
        Assert.Equal(status, answer.Status);
        Assert.Contains(told, answer.Text, StringComparison.Ordinal);
        Assert.Equal(status == 201 ? 1 : 0, (await ListAsync(scene, "")).Count);
    }

    [Fact]
    public async Task What_cannot_be_made_makes_no_key()
    {
        await using var scene = await ServerScene.OpenAsync();
        foreach (
            var (body, told) in new[]
            {
                ("""{"Name":"","SecurityClearance":"ValidUser"}""", "1 to 256"),
                ("""{"Name":"a","SecurityClearance":"ValidUser","NotAfter":"soon"}""", "must be a time"),
                ("""{"Name":"a","SecurityClearance":"ValidUser","NotAfter":"2020-01-01"}""", "in the past"),
                ("""{"Name":"a","SecurityClearance":"ValidUser","NotAfter":"2099-01-01"}""", "3,650 days"),
                ("""{"Name":"a","SecurityClearance":"ValidUser","Certificate":"AAAA"}""", "PUT stores"),
            }
        )
        {
            var answer = await scene.RequestAsync("POST", Path, body: body);
            Assert.Equal(400, answer.Status);
            Assert.Contains(told, answer.Text, StringComparison.Ordinal);
        }
        Assert.Empty(await ListAsync(scene, ""));
    }

    [Fact]
    public async Task What_a_certificate_loses_it_loses_with_the_next_request()
    {
        await using var scene = await ServerScene.OpenAsync(asksForCertificates: true);
        var key = Key(new ManualClock(DateTimeOffset.UtcNow));
        var certificate = key.Certificate();
        await scene.Certificates.PutAsync(
            StoreScene.New("shop", Clearance.ValidUser, certificate, ("db", DatabaseRight.Read)),
            Access.Unsecured
        );
        async Task<int> StatusAsync(string path, X509Certificate2? by) => (await scene.RequestAsync("GET", path, certificate: by)).Status;
        Assert.Equal(200, await StatusAsync("/databases/db/stats", certificate));
        Assert.Equal(403, await StatusAsync("/databases/db/stats", null));
        Assert.Equal(403, await StatusAsync("/databases/other/stats", certificate));
        Assert.Equal(403, await StatusAsync(Path, certificate));
        await scene.Certificates.EditAsync(certificate.Thumbprint, StoreScene.New("shop", Clearance.ValidUser, null), Access.Unsecured);
        Assert.Equal(403, await StatusAsync("/databases/db/stats", certificate));
        Assert.Equal(200, await StatusAsync("/certificates/whoami", certificate));
        await scene.Certificates.DeleteAsync(certificate.Thumbprint, Access.Unsecured);
        Assert.Equal(403, await StatusAsync("/certificates/whoami", certificate));
    }

    /// <summary>The command sent all rights as it had read them, so of two commands at once the later undid the earlier.</summary>
    [Fact]
    public async Task An_edit_changes_what_it_names_and_nothing_else_and_the_protocols_edit_has_all_rights()
    {
        await using var scene = await ServerScene.OpenAsync();
        var shop = Key(new ManualClock(DateTimeOffset.UtcNow)).Certificate();
        await scene.Certificates.PutAsync(StoreScene.New("shop", Clearance.ValidUser, shop, ("a", DatabaseRight.Read)), Access.Unsecured);
        async Task<int> EditAsync(string members) =>
            (await scene.RequestAsync("POST", Path + "/edit", body: $$"""{"Thumbprint":"{{shop.Thumbprint}}",{{members}}}""")).Status;
        string Stored() =>
            scene.Certificates.Find(shop.Thumbprint)!.Access is var access
                ? $"{access.Name} {access.Clearance} " + string.Join(' ', access.Databases.OrderBy(one => one.Key))
                : "";

        Assert.Equal(200, await EditAsync("""  "PermissionChanges":{"b":"Admin"}  """));
        Assert.Equal(200, await EditAsync("""  "PermissionChanges":{"c":"ReadWrite"}  """));
        Assert.Equal(200, await EditAsync("""  "Name":"renamed"  """));
        Assert.Equal(200, await EditAsync("""  "PermissionChanges":{"A":"None","B":"Read"}  """));
        Assert.Equal("renamed ValidUser [B, Read] [c, ReadWrite]", Stored());
        Assert.Equal(400, await EditAsync("""  "Permissions":{},"PermissionChanges":{"b":"Admin"}  """));
        Assert.Equal(400, await EditAsync("""  "PermissionChanges":{"b":"Owner"}  """));
        Assert.Equal(200, await EditAsync("""  "Name":"shop","SecurityClearance":"Operator","Permissions":{"d":"Read"}  """));
        Assert.Equal("shop Operator [d, Read]", Stored());
    }

    [Fact]
    public void A_client_that_was_let_in_is_asked_again_when_its_certificate_has_expired()
    {
        var clock = new ManualClock();
        var gate = new AccessGate(certificates: null, clock: clock);
        var access = new Access
        {
            Name = "a",
            Thumbprint = "A",
            Clearance = Clearance.ValidUser,
            ValidUntil = clock.GetUtcNow().UtcDateTime.AddMinutes(1),
        };
        Assert.False(gate.HasExpired(access));
        clock.Advance(TimeSpan.FromMinutes(1));
        Assert.False(gate.HasExpired(access));
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(gate.HasExpired(access));
        Assert.False(gate.HasExpired(Access.Unsecured));
    }

    [Fact]
    public async Task A_thousand_certificates_are_listed_in_pages_and_each_is_recognised()
    {
        await using var scene = await ServerScene.OpenAsync(asksForCertificates: true);
        var certificates = Enumerable
            .Range(0, 1000)
            .Select(i => Key(new ManualClock(DateTimeOffset.UtcNow)).Certificate($"c{i}"))
            .ToArray();
        for (var i = 0; i < certificates.Length; i++)
            await scene.Certificates.PutAsync(
                StoreScene.New(
                    $"c{i:D4}",
                    i == 0 ? Clearance.Operator : Clearance.ValidUser,
                    certificates[i],
                    ($"db{i}", DatabaseRight.Read)
                ),
                Access.Unsecured
            );
        var names = new List<string>();
        for (var start = 0; start < 1100; start += 150)
        {
            var page = await scene.RequestAsync("GET", Path, $"?start={start}&pageSize=150", certificate: certificates[0]);
            Assert.Equal(200, page.Status);
            names.AddRange(page.Json.GetProperty("Results").EnumerateArray().Select(one => one.GetProperty("Name").GetString()!));
        }
        Assert.Equal(Enumerable.Range(0, 1000).Select(i => $"c{i:D4}"), names);
        for (var i = 1; i < certificates.Length; i++)
        {
            var access = scene.Certificates.Identify(certificates[i]).Access!;
            Assert.True(access.May($"db{i}", DatabaseRight.Read) && !access.May($"db{i - 1}", DatabaseRight.Read));
        }
        var all = await scene.RequestAsync("GET", Path, certificate: certificates[0]);
        Assert.Equal(1000, all.Json.GetProperty("Results").GetArrayLength());
    }

    private ClientKey Key(ManualClock? clock = null)
    {
        var key = new ClientKey { Clock = clock ?? new ManualClock() };
        _keys.Add(key);
        return key;
    }

    private static Task<ServedAnswer> PutAsync(ServerScene scene, string body) => scene.RequestAsync("PUT", Path, body: body);

    private static async Task<List<JsonElement>> ListAsync(ServerScene scene, string query) =>
        [.. (await scene.RequestAsync("GET", Path, query)).Json.GetProperty("Results").EnumerateArray()];
}

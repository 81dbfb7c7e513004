using System.Net;
using System.Net.Http.Json;
using System.Text.Json;

namespace Jackdaw.Acceptance.Certificates;

/// <summary><c>run certificates</c> as real processes, on a stopped and on a running server.</summary>
public sealed class CertificatesCommandTests
{
    [Fact]
    public async Task The_first_administrator_is_made_before_the_first_start_and_lets_in_others_while_the_server_runs()
    {
        await using var scene = new SecuredServer();
        Assert.Contains("is not the data folder of a server", await scene.RefusedAsync(1, "list"), StringComparison.Ordinal);
        var made = await scene.DoAsync("admin", "--name", "ops", "--out", "ops.pfx", "--days=30");
        Assert.Contains("ClusterAdmin", made, StringComparison.Ordinal);
        Assert.Contains("data folder", made, StringComparison.Ordinal);
        foreach (var file in (string[])["ops.pfx", "ops.pem"])
            if (!OperatingSystem.IsWindows())
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(scene.PathOf(file)));
        var before = await File.ReadAllBytesAsync(scene.PathOf("ops.pfx"));
        Assert.Contains(
            "is there already",
            await scene.RefusedAsync(1, "admin", "--name", "ops", "--out", "ops.pem"),
            StringComparison.Ordinal
        );
        Assert.Equal(before, await File.ReadAllBytesAsync(scene.PathOf("ops.pfx")));
        Assert.Contains("1 in the data folder", await scene.DoAsync("list"), StringComparison.Ordinal);

        await scene.StartAsync();
        Assert.Equal(HttpStatusCode.Forbidden, await scene.StatusAsync(null, "/databases"));
        Assert.Equal(HttpStatusCode.OK, await scene.StatusAsync("ops.pfx", "/databases"));
        using (var ops = scene.Client("ops.pfx"))
            (await ops.PutAsync("/admin/databases?name=shop", JsonContent.Create(new { DatabaseName = "shop" }))).EnsureSuccessStatusCode();

        var client = await scene.DoAsync("client", "--name", "shop", "--database", "shop=ReadWrite", "--database=audit=Read");
        Assert.Contains("the server at https://127.0.0.1", client, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, await scene.StatusAsync("shop.pfx", "/databases/shop/stats"));
        Assert.Equal(HttpStatusCode.Forbidden, await scene.StatusAsync("shop.pfx", "/admin/certificates"));
        Assert.Contains("audit=Read, shop=ReadWrite", await scene.DoAsync("list"), StringComparison.Ordinal);

        await scene.DoAsync("edit", "shop", "--database", "shop=None", "--name", "auditor");
        Assert.Equal(HttpStatusCode.Forbidden, await scene.StatusAsync("shop.pfx", "/databases/shop/stats"));
        var shown = JsonDocument.Parse(await scene.DoAsync("show", "auditor", "--json")).RootElement;
        Assert.Equal("ValidUser", shown.GetProperty("Clearance").GetString());
        Assert.Equal("Read", shown.GetProperty("Rights").GetProperty("audit").GetString());

        var asked = await scene.RunAsync("no\n", "delete", "auditor");
        Assert.Equal(1, asked.Code);
        Assert.Contains("Nothing was changed", asked.Errors, StringComparison.Ordinal);
        await scene.DoAsync("delete", "auditor", "--yes");
        Assert.Contains("403", await TextAsync(scene, "shop.pfx", "/certificates/whoami"), StringComparison.Ordinal);
        Assert.Contains(
            "no certificate with the name",
            await scene.RefusedAsync(1, "delete", "auditor", "--yes"),
            StringComparison.Ordinal
        );

        await scene.StopAsync();
        Assert.Contains("1 in the data folder", await scene.DoAsync("list"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_certificate_is_added_without_its_key_and_each_file_that_is_none_is_refused()
    {
        await using var scene = new SecuredServer();
        await using var other = new SecuredServer();
        await other.DoAsync("client", "--name", "app", "--out", scene.PathOf("app"), "--password", "p w");
        await scene.StartAsync();
        Assert.Contains("Give the password", await scene.RefusedAsync(1, "add", "app.pfx", "--name", "app"), StringComparison.Ordinal);
        Assert.Contains("password is another one", await scene.RefusedAsync(1, "add", "app.pfx", "--password=x"), StringComparison.Ordinal);
        Assert.Contains("cannot be read", await scene.RefusedAsync(1, "add", "nothing.pfx"), StringComparison.Ordinal);
        await File.WriteAllBytesAsync(scene.PathOf("large"), new byte[1_000_000]);
        Assert.Contains("1,000,000 bytes", await scene.RefusedAsync(1, "add", "large"), StringComparison.Ordinal);
        var added = await scene.RunAsync("p w\n", "add", "app.pfx", "--name", "app", "--password", "asked", "--clearance", "Operator");
        Assert.Equal(0, added.Code);
        Assert.Contains("private key, too, which was not stored and not sent", added.Output, StringComparison.Ordinal);
        using var client = scene.Client("app.pfx", "p w");
        Assert.Equal("app", (await client.GetFromJsonAsync<JsonElement>("/certificates/whoami")).GetProperty("Name").GetString());
    }

    [Theory]
    [InlineData("--days=0", "--days must be from 1")]
    [InlineData("--database=shop", "--database must be")]
    [InlineData("--database=shop=Everything", "must be Read, ReadWrite, Admin or None")]
    [InlineData("--clearance=Root", "--clearance must be")]
    [InlineData("--datbase=shop=Read", "neither an option")]
    public async Task A_misspelt_command_changes_nothing_and_says_what_is_right(string argument, string told)
    {
        await using var scene = new SecuredServer();
        Assert.Contains(told, await scene.RefusedAsync(2, "client", "--name", "x", argument), StringComparison.Ordinal);
        Assert.False(File.Exists(scene.PathOf("x.pfx")));
        Assert.Contains("run certificates", await scene.DoAsync("--help"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Files_that_cannot_be_written_and_names_that_are_refused_store_nothing()
    {
        await using var scene = new SecuredServer();
        await scene.DoAsync("admin", "--name", "ops");
        Assert.Contains(
            "cannot be written",
            await scene.RefusedAsync(1, "client", "--name", "x", "--out", "missing/x.pfx"),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "cannot exist",
            await scene.RefusedAsync(1, "client", "--name", "x", "--database", "a/b=Read"),
            StringComparison.Ordinal
        );
        Assert.False(File.Exists(scene.PathOf("x.pfx")));
        Assert.False(File.Exists(scene.PathOf("x.pem")));
        Assert.Contains("1 in the data folder", await scene.DoAsync("list"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_well_known_administrator_enters_without_a_record()
    {
        await using var elsewhere = new SecuredServer();
        await elsewhere.DoAsync("admin", "--name", "ops");
        var shown = JsonDocument.Parse(await elsewhere.DoAsync("show", "ops", "--json")).RootElement;
        await using var scene = new SecuredServer();
        File.Copy(elsewhere.PathOf("ops.pfx"), scene.PathOf("ops.pfx"));
        await scene.StartAsync($"--Security.WellKnownAdminCertificates=pin:{shown.GetProperty("Pin").GetString()}");
        Assert.Contains("pin:", await scene.DoAsync("list"), StringComparison.Ordinal);
        using var client = scene.Client("ops.pfx");
        var list = await client.GetFromJsonAsync<JsonElement>("/admin/certificates");
        Assert.Equal(0, list.GetProperty("Results").GetArrayLength());
        Assert.StartsWith("pin:", list.GetProperty("WellKnownAdminCerts")[0].GetString(), StringComparison.Ordinal);
        var me = await client.GetFromJsonAsync<JsonElement>("/certificates/whoami");
        Assert.Equal("ClusterAdmin", me.GetProperty("SecurityClearance").GetString());
    }

    /// <summary>Commands and the server are killed at random moments; what was acknowledged must be there.</summary>
    [Fact]
    [Trait("Category", "Slow")]
    public async Task After_kill_9_of_the_server_or_of_a_command_each_acknowledged_change_is_there()
    {
        await using var scene = new SecuredServer();
        var random = new Random(5);
        await scene.DoAsync("admin", "--name", "ops");
        var expected = new SortedSet<string>(StringComparer.Ordinal) { "ops" };
        for (var round = 0; round < 4; round++)
        {
            await scene.StartAsync();
            using (var ops = scene.Client("ops.pfx"))
            {
                var unknown = new List<string>();
                using var killing = KillSoonAsync(scene, random.Next(50, 400));
                for (var i = 0; ; i++)
                {
                    var name = $"c{round}-{i}";
                    try
                    {
                        unknown.Add(name);
                        using var answer = await ops.PutAsJsonAsync("/admin/certificates", Upload(name));
                        answer.EnsureSuccessStatusCode();
                        unknown.Remove(name);
                        expected.Add(name);
                    }
                    catch (HttpRequestException)
                    {
                        break;
                    }
                }
                await killing;
                // Stopped folder: exactly what was acknowledged, and perhaps the one whose answer did not come.
                var found = await NamesAsync(scene);
                Assert.Subset(found, expected);
                found.ExceptWith(expected);
                Assert.Subset(unknown.ToHashSet(), found);
                expected.UnionWith(found);
            }
            var victim = $"killed-{round}";
            using (var command = scene.Launch(["client", "--name", victim, .. scene.Settings]))
            {
                await Task.Delay(random.Next(100, 1500));
                command.Kill();
                await command.WaitForExitAsync();
            }
            var after = await NamesAsync(scene);
            Assert.Subset(after, expected);
            after.ExceptWith(expected);
            Assert.Subset(new HashSet<string> { victim }, after);
            // A stored certificate has its key: the files are written first.
            if (after.Contains(victim))
                Assert.True(File.Exists(scene.PathOf($"{victim}.pfx")));
            expected.UnionWith(after);
        }
    }

    private static async Task KillSoonAsync(SecuredServer scene, int milliseconds)
    {
        await Task.Delay(milliseconds);
        await scene.KillAsync();
    }

    private static object Upload(string name)
    {
        using var key = System.Security.Cryptography.ECDsa.Create(System.Security.Cryptography.ECCurve.NamedCurves.nistP256);
        var request = new System.Security.Cryptography.X509Certificates.CertificateRequest(
            $"CN={name}",
            key,
            System.Security.Cryptography.HashAlgorithmName.SHA256
        );
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(90));
        return new
        {
            Name = name,
            SecurityClearance = "ValidUser",
            Certificate = Convert.ToBase64String(certificate.RawData),
            Permissions = new { db = "Read" },
        };
    }

    private static async Task<HashSet<string>> NamesAsync(SecuredServer scene) =>
        JsonDocument
            .Parse(await scene.DoAsync("list", "--json"))
            .RootElement.EnumerateArray()
            .Select(one => one.GetProperty("Name").GetString()!)
            .ToHashSet(StringComparer.Ordinal);

    private static async Task<string> TextAsync(SecuredServer scene, string pfx, string path)
    {
        using var client = scene.Client(pfx);
        using var answer = await client.GetAsync(path);
        return $"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}";
    }
}

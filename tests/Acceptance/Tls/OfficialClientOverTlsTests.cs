using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Tls;

/// <summary>The official npm client, unmodified, over TLS: everything that it does, and what it is told in each role.</summary>
public sealed class OfficialClientOverTlsTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(10);

    /// <summary>Sockets of changes, bulk inserts, streams and large bodies among it.</summary>
    [Theory]
    [InlineData("sessions.mjs", "pfx", "1.3")]
    [InlineData("sessions.mjs", "pem", "1.2")]
    [InlineData("changes.mjs", "pem", "1.3")]
    [InlineData("changes.mjs", "pfx", "1.2")]
    [InlineData("bulk-insert.mjs", "pfx", "1.3")]
    [InlineData("index-queries.mjs", "pem", "1.3")]
    [InlineData("patching.mjs", "pem", "1.2")]
    public async Task An_administrators_client_does_over_tls_what_it_does_without(string script, string kind, string version)
    {
        await using var server = await SecuredServer.StartAsync();
        using var certificate = server.Authority.Issue("administrator", isRsa: kind == "pem");
        await server.AddAsync("administrator", certificate, "ClusterAdmin");
        await NodeScript.RunAsync(
            script,
            server.Url,
            Timeout,
            Environment(server, server.Write("administrator", certificate, kind), version)
        );
    }

    [Theory]
    [InlineData("pfx", null, "1.3")]
    [InlineData("pem", null, "1.3")]
    [InlineData("pfx", "secret", "1.2")]
    [InlineData("pem", null, "1.2")]
    public async Task Each_role_may_do_what_it_may_and_is_told_what_it_lacks(string kind, string? password, string version)
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        await server.CreateAsync("Other");
        await SecuredServer.SucceedAsync(
            server.Administrator.PutAsync(
                "/databases/Shop/docs?id=orders/1",
                new StringContent("""{"@metadata":{"@collection":"Orders"}}""")
            )
        );
        using var strangers = new Brokers.TestAuthority("An authority of strangers");
        var roles = new List<object> { new { name = "None" } };
        await KnownAsync("Administrator", "ClusterAdmin");
        await KnownAsync("Operator", "Operator");
        await KnownAsync("Admin", "ValidUser", ("Shop", "Admin"));
        await KnownAsync("ReadWrite", "ValidUser", ("Shop", "ReadWrite"));
        await KnownAsync("Read", "ValidUser", ("Shop", "Read"));
        await KnownAsync("OtherAdmin", "ValidUser", ("Other", "Admin"));
        await KnownAsync("Nobody", "ValidUser");
        Add("Unknown", server.Authority.Issue("Unknown", isRsa: kind == "pem"));
        Add("Foreign", strangers.Issue("Foreign", isRsa: kind == "pem"));
        await KnownAsync("Expired", "ClusterAdmin");
        await KnownAsync("Early", "ClusterAdmin");

        var environment = Environment(server, file: null, version);
        environment["JACKDAW_ROLES"] = JsonSerializer.Serialize(roles);
        environment["NODE_EXTRA_CA_CERTS"] = server.Authority.CertificateFile;
        var told = (await NodeScript.RunAsync("roles.mjs", server.Url, Timeout, environment))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonSerializer.Deserialize<Dictionary<string, string>>(line)!)
            .ToDictionary(role => role["role"]);

        string[] all = ["read", "write", "configure", "create", "certificates"];
        May("Administrator", all, "Other,Shop");
        May("Operator", all, "Other,Shop");
        May("Admin", ["read", "write", "configure"], "Shop");
        May("ReadWrite", ["read", "write"], "Shop");
        May("Read", ["read"], "Shop");
        May("OtherAdmin", [], "Other");
        May("Nobody", [], "");
        foreach (var stranger in (string[])["None", "Unknown", "Foreign", "Expired", "Early"])
            May(stranger, [], names: null);
        // The words that the user of the client sees.
        Assert.Contains("presented none", told["None"]["read"]);
        Assert.Contains("does not know the client certificate 'CN=Unknown'", told["Unknown"]["read"]);
        Assert.Contains("does not know the client certificate 'CN=Foreign'", told["Foreign"]["read"]);
        Assert.Contains("run certificates", told["Unknown"]["read"]);
        Assert.Contains("expired at", told["Expired"]["read"]);
        Assert.Contains("is not valid before", told["Early"]["read"]);
        Assert.Contains("requires the right ReadWrite for the database 'Shop'", told["Read"]["write"]);
        Assert.Contains("only the right Read", told["Read"]["write"]);
        Assert.Contains("requires the right Read for the database 'Shop'", told["OtherAdmin"]["read"]);
        Assert.Contains("clearance Operator", told["Admin"]["create"]);

        void May(string role, string[] allowed, string? names)
        {
            foreach (var act in all)
                if (allowed.Contains(act))
                    Assert.Equal($"{role} {act} ok", $"{role} {act} {told[role][act]}");
                else
                    Assert.True(
                        told[role][act].StartsWith("AuthorizationException: ", StringComparison.Ordinal),
                        $"{role} {act} {told[role][act]}"
                    );
            if (names is null)
                Assert.StartsWith("AuthorizationException: ", told[role]["names"]);
            else
                Assert.Equal(names, told[role]["names"]);
        }

        async Task KnownAsync(string name, string clearance, params (string, string)[] rights)
        {
            var certificate = server.Authority.Issue(name, name == "Expired", name == "Early", isRsa: kind == "pem");
            await server.AddAsync(name, certificate, clearance, rights);
            Add(name, certificate);
        }

        void Add(string name, System.Security.Cryptography.X509Certificates.X509Certificate2 certificate)
        {
            using (certificate)
                roles.Add(
                    new
                    {
                        name,
                        file = server.Write(name, certificate, kind, password),
                        password,
                    }
                );
        }
    }

    [Theory]
    [InlineData("TLSv1.2")]
    [InlineData("TLSv1.3")]
    public async Task A_resumed_session_is_the_same_clients_and_a_deleted_certificate_does_not_come_back_by_it(string version)
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        using var certificate = server.Authority.Issue("reader");
        await server.AddAsync("reader", certificate, "ValidUser", ("Shop", "Read"));
        var environment = Environment(server, server.Write("reader", certificate, "pfx"), null);
        var session = Path.Combine(server.Process.Folder, "session");

        var (reused, status) = await AskAsync();
        Assert.Equal((true, 200), (reused, status));
        await SecuredServer.SucceedAsync(server.Administrator.DeleteAsync($"/admin/certificates?thumbprint={certificate.Thumbprint}"));
        (reused, status) = await AskAsync();
        Assert.Equal((true, 403), (reused, status));

        // A new certificate of the server ends the sessions of the old one.
        using var next = server.Authority.Issue("localhost");
        server.Authority.Write("server.pfx", next.Export(System.Security.Cryptography.X509Certificates.X509ContentType.Pfx));
        await Eventually.IsAsync(async () => !(await AskAsync()).Reused);

        async Task<(bool Reused, int Status)> AskAsync()
        {
            var text = await NodeScript.RunAsync(
                "resumption.mjs",
                server.Url,
                Timeout,
                environment,
                "/databases/Shop/stats",
                session,
                version
            );
            var told = JsonDocument.Parse(text).RootElement;
            return (told.GetProperty("reused").GetBoolean(), told.GetProperty("status").GetInt32());
        }
    }

    private static Dictionary<string, string> Environment(SecuredServer server, string? file, string? version)
    {
        var environment = new Dictionary<string, string> { ["JACKDAW_AUTHORITY"] = server.Authority.CertificateFile };
        if (file is not null)
            environment["JACKDAW_CLIENT_CERTIFICATE"] = file;
        if (version is not null)
            environment["NODE_OPTIONS"] = $"--tls-min-v{version} --tls-max-v{version}";
        return environment;
    }
}

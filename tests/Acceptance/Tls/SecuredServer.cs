using System.Net.Http.Json;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Tls;

/// <summary>The real server over https on a free port of this machine, with a certificate of a test's authority.</summary>
internal sealed class SecuredServer : IAsyncDisposable
{
    private SecuredServer(TestAuthority authority, ServerUnderTest process, X509Certificate2 own, string file)
    {
        Authority = authority;
        Process = process;
        Own = own;
        File = file;
        Administrator = Client(own);
    }

    public TestAuthority Authority { get; }

    public ServerUnderTest Process { get; }

    public string Url => Process.Url;

    /// <summary>The server's certificate at its start, an administrator's.</summary>
    public X509Certificate2 Own { get; }

    /// <summary>The file of the server's certificate, without a password.</summary>
    public string File { get; }

    /// <summary>A client with the server's own certificate.</summary>
    public HttpClient Administrator { get; }

    public static async Task<SecuredServer> StartAsync(params string[] settings)
    {
        var authority = new TestAuthority();
        var own = authority.Issue("localhost");
        var file = authority.Write("server.pfx", own.Export(X509ContentType.Pfx));
        var process = await ServerUnderTest.StartAsync([
            "--no-defaults",
            "--RunInMemory=true",
            "--ServerUrl=https://localhost:0",
            $"--Security.Certificate.Path={file}",
            .. settings,
        ]);
        return new SecuredServer(authority, process, own, file);
    }

    /// <summary>A client that trusts the test's authority alone.</summary>
    public HttpClient Client(X509Certificate2? certificate) => new(Handler(certificate)) { BaseAddress = new Uri(Url) };

    public SocketsHttpHandler Handler(X509Certificate2? certificate)
    {
        var handler = new SocketsHttpHandler();
        var trusted = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        trusted.CustomTrustStore.Add(X509CertificateLoader.LoadCertificateFromFile(Authority.CertificateFile));
        handler.SslOptions.CertificateChainPolicy = trusted;
        if (certificate is not null)
            handler.SslOptions.ClientCertificates = [certificate];
        return handler;
    }

    public async Task CreateAsync(string database) =>
        await SucceedAsync(Administrator.PutAsJsonAsync($"/admin/databases?name={database}", new { DatabaseName = database }));

    /// <summary>Has the server know a client.</summary>
    public Task AddAsync(string name, X509Certificate2 certificate, string clearance, params (string Database, string Right)[] rights) =>
        SucceedAsync(
            Administrator.PutAsJsonAsync(
                "/admin/certificates",
                new
                {
                    Name = name,
                    Certificate = Convert.ToBase64String(certificate.RawData),
                    SecurityClearance = clearance,
                    Permissions = rights.ToDictionary(one => one.Database, one => one.Right),
                }
            )
        );

    /// <summary>A file with a client's certificate and key. The official client takes of PEM files only keys in the form of PKCS#1, which
    /// are RSA's, and presents no certificate where it finds none.</summary>
    public string Write(string name, X509Certificate2 certificate, string kind, string? password = null)
    {
        if (kind == "pfx")
            return Authority.Write($"{name}.pfx", certificate.Export(X509ContentType.Pfx, password));
        using var key = certificate.GetRSAPrivateKey()!;
        return Authority.Write($"{name}.pem", certificate.ExportCertificatePem() + "\n" + key.ExportRSAPrivateKeyPem());
    }

    /// <summary>Gives the server another certificate; returns when new connections meet it.</summary>
    public async Task ReplaceAsync(X509Certificate2 certificate)
    {
        await System.IO.File.WriteAllBytesAsync(File, certificate.Export(X509ContentType.Pfx));
        await Eventually.IsAsync(async () =>
        {
            using var connection = new TcpClient();
            await connection.ConnectAsync("localhost", new Uri(Url).Port);
            await using var tls = new SslStream(connection.GetStream(), false, (_, presented, _, _) => certificate.Equals(presented));
            try
            {
                await tls.AuthenticateAsClientAsync("localhost");
                return true;
            }
            catch (AuthenticationException)
            {
                return false;
            }
        });
    }

    public static async Task SucceedAsync(Task<HttpResponseMessage> sending)
    {
        using var answer = await sending;
        Assert.True(answer.IsSuccessStatusCode, $"{answer.StatusCode}: {await answer.Content.ReadAsStringAsync()}");
    }

    public async ValueTask DisposeAsync()
    {
        Administrator.Dispose();
        await Process.DisposeAsync();
        Own.Dispose();
        Authority.Dispose();
    }
}

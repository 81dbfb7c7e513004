using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.Functions.Tests;

namespace Jackdaw.EndToEnd;

/// <summary>
/// The real server with a source <c>shop</c> and a read model <c>views</c>, over TLS with certificates of a test's authority (or over plain
/// http), always on the same port and folder; functions come by a proxy.
/// </summary>
internal sealed class Shop : IAsyncDisposable
{
    private const int DiskMegabytes = 256;

    /// <summary>Freed again. More than a database takes in advance.</summary>
    private const long FillerBytes = 112L << 20;
    private const string Filler = "filler";
    private const string Rest = "rest";

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-end-to-end-").FullName;
    private readonly int _port = LoopbackPort.Find();
    private readonly TestAuthority? _authority;
    private readonly X509Certificate2? _own;
    private readonly X509Certificate2? _functions;
    private readonly HttpClient _administrator;
    private ServerUnderTest? _server;
    private SmallDisk? _disk;

    public Shop(bool isSecured)
    {
        var connections = new SocketsHttpHandler { PooledConnectionIdleTimeout = TimeSpan.FromSeconds(5) };
        if (isSecured)
        {
            _authority = new TestAuthority();
            _own = _authority.Issue("localhost");
            _functions = _authority.Issue("functions");
            _authority.Write("server.pfx", _own.Export(X509ContentType.Pfx));
            var trusted = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            trusted.CustomTrustStore.Add(X509CertificateLoader.LoadCertificateFromFile(_authority.CertificateFile));
            connections.SslOptions.CertificateChainPolicy = trusted;
            connections.SslOptions.ClientCertificates = [_own];
        }
        _administrator = new HttpClient(new PatientConnections(connections)) { Timeout = Eventually.Patience };
        Proxy = CuttingProxy.Start(_port);
        Wire = new Wire(_administrator, Url);
    }

    /// <summary>Between functions and server.</summary>
    public CuttingProxy Proxy { get; }

    /// <summary>An administrator, not by the proxy.</summary>
    public Wire Wire { get; }

    public string Url => $"{Root}:{_port}";

    private string Root => _authority is null ? "http://127.0.0.1" : "https://localhost";

    /// <summary>App settings by which functions reach the server.</summary>
    public IReadOnlyDictionary<string, string> Settings =>
        _own is null
            ? new Dictionary<string, string> { ["Jackdaw__Url"] = $"{Root}:{Proxy.Port}" }
            : new Dictionary<string, string>
            {
                ["Jackdaw__Url"] = $"{Root}:{Proxy.Port}",
                ["Jackdaw__ClientCertificate"] = Convert.ToBase64String(_functions!.Export(X509ContentType.Pfx)),
                ["Jackdaw__ServerPin"] = "pin:" + Convert.ToBase64String(SHA256.HashData(_own.PublicKey.ExportSubjectPublicKeyInfo())),
            };

    /// <summary>What the official client needs to connect.</summary>
    public Dictionary<string, string> ClientEnvironment =>
        _authority is null
            ? []
            : new Dictionary<string, string>
            {
                ["JACKDAW_CLIENT_CERTIFICATE"] = _authority.Write("client.pfx", _own!.Export(X509ContentType.Pfx)),
                ["JACKDAW_AUTHORITY"] = _authority.CertificateFile,
                ["NODE_EXTRA_CA_CERTS"] = _authority.CertificateFile,
            };

    public async Task StartAsync()
    {
        string[] certificate = _authority is null
            ? []
            : [$"--Security.Certificate.Path={Path.Combine(Path.GetDirectoryName(_authority.CertificateFile)!, "server.pfx")}"];
        _server = await ServerUnderTest.StartAsync(_folder, ["--no-defaults", $"--ServerUrl={Url}", .. certificate]);
    }

    /// <summary>kill -9, and a start on the same folder.</summary>
    public async Task KillAndStartAsync()
    {
        await _server!.KillAsync();
        await _server.DisposeAsync();
        await StartAsync();
    }

    /// <summary>Creates the databases, makes the functions' certificate known, and starts the tasks.</summary>
    /// <param name="transport">Where orders and events go.</param>
    /// <param name="outside">Where the outbox goes.</param>
    public async Task PrepareAsync(Transport transport, Uri outside)
    {
        await Wire.CreateAsync("shop");
        await Wire.CreateAsync("views");
        if (_functions is not null)
            await Wire.SendAsync(
                "PUT",
                "/admin/certificates",
                JsonSerializer.Serialize(
                    new
                    {
                        Name = "functions",
                        Certificate = Convert.ToBase64String(_functions.RawData),
                        SecurityClearance = "ValidUser",
                        Permissions = new { shop = "Read", views = "ReadWrite" },
                    }
                )
            );
        var connection = transport.Connection;
        connection["Name"] = "transport";
        await Wire.SendAsync("PUT", "/databases/shop/etl/connections", connection.ToJsonString());
        await TaskAsync(transport, Transport.Orders, "Orders", $"loadTo('{Transport.Orders}', this);", deletes: true);
        await TaskAsync(transport, Transport.Accounts, "@events", $"loadTo('{Transport.Accounts}', {{ n: this.number }});", deletes: false);
        // As Effect.Script has it; this project knows the functions by their process only.
        await Wire.StartTaskAsync(
            "views",
            "outbox",
            "Outbox",
            "loadToEffects(this.Data, { Id: this.EventId, Source: this.EventSource, Type: this.EventType, Subject: this.EventSubject });",
            outside,
            deletes: false
        );
    }

    /// <summary>Changes what the functions' certificate may do in the read model.</summary>
    public async Task SetRightAsync(string right) =>
        await Wire.SendAsync(
            "POST",
            "/admin/certificates/edit",
            JsonSerializer.Serialize(new { _functions!.Thumbprint, Permissions = new { shop = "Read", views = right } })
        );

    /// <summary>Moves the read model, and nothing else, to a file system that can be filled.</summary>
    public async Task MoveReadModelToSmallDiskAsync()
    {
        Assert.Equal(0, await _server!.StopAsync());
        var folder = Path.Combine(_server.DataDirectory, "Databases", "views");
        await _server.DisposeAsync();
        var aside = folder + "-aside";
        Directory.Move(folder, aside);
        _disk = SmallDisk.Mount(folder, DiskMegabytes);
        CopyTo(new DirectoryInfo(aside), folder);
        Directory.Delete(aside, recursive: true);
        _disk.Fill(Filler, FillerBytes);
        await StartAsync();
    }

    /// <summary>Leaves no room for the smallest document of the read model.</summary>
    public async Task FillReadModelAsync()
    {
        _disk!.Fill(Rest, long.MaxValue);
        // What the database has in hand is used up as well, down to the smallest documents.
        foreach (var bytes in new[] { 1 << 20, 16 << 10, 100 })
            while (await StoreFillerAsync(bytes)) { }
    }

    /// <summary>Makes room again.</summary>
    public void FreeReadModel()
    {
        _disk!.Remove(Filler);
        _disk.Remove(Rest);
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        _disk?.Dispose();
        await Proxy.DisposeAsync();
        _administrator.Dispose();
        _own?.Dispose();
        _functions?.Dispose();
        _authority?.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private static void CopyTo(DirectoryInfo from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var file in from.EnumerateFiles())
            file.CopyTo(Path.Combine(to, file.Name));
        foreach (var below in from.EnumerateDirectories())
            CopyTo(below, Path.Combine(to, below.Name));
    }

    /// <summary>False: there is no room.</summary>
    private async Task<bool> StoreFillerAsync(int bytes)
    {
        var content = new byte[bytes * 3 / 4];
        Random.Shared.NextBytes(content);
        using var answer = await _administrator.PutAsync(
            $"{Url}/databases/views/docs?id=filler/{Guid.NewGuid()}",
            new StringContent($$"""{"content":"{{Convert.ToBase64String(content)}}"}""")
        );
        if (answer.StatusCode == HttpStatusCode.Created)
            return true;
        Assert.True(answer.StatusCode == HttpStatusCode.InsufficientStorage, await answer.Content.ReadAsStringAsync());
        return false;
    }

    private async Task TaskAsync(Transport transport, string queue, string collection, string script, bool deletes)
    {
        var task = transport.TaskMembers(queue);
        task["Name"] = queue;
        task["Sink"] = transport.Connection["Sink"]!.DeepClone();
        task["ConnectionStringName"] = "transport";
        task["CloudEventsMode"] = "Structured";
        task["Transforms"] = new JsonArray(
            new JsonObject
            {
                ["Name"] = "all",
                ["Collections"] = new JsonArray(collection),
                ["Script"] = script,
                ["PublishDeletes"] = deletes,
            }
        );
        await Wire.SendAsync("PUT", "/databases/shop/etl/tasks", task.ToJsonString());
    }
}

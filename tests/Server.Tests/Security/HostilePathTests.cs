using System.Collections;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Hosting;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Security.Tls;
using Jackdaw.Server.Tests.Serving;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit.Abstractions;

namespace Jackdaw.Server.Tests.Security;

/// <summary>
/// A reader of the database "db" sends requests that are written in every unusual way. Whatever the server takes them for, no handler runs
/// that needs more than to read "db".
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class HostilePathTests(ITestOutputHelper output) : IDisposable
{
    private static readonly string[] s_pieces =
    [
        "/",
        "//",
        "/./",
        "/../",
        "%2F",
        "%2f",
        "%252F",
        "%5C",
        "\\",
        "..",
        ".",
        ";",
        "%00",
        "%20",
        " ",
        "?",
        "#",
        "databases",
        "DATABASES",
        "databases/",
        "/databases/db/",
        "/databases/secret/",
        "db",
        "Db",
        "d%62",
        "secret",
        "SECRET",
        "s%65cret",
        "docs",
        "stats",
        "/docs",
        "/stats/",
        "db/stats",
        "db/docs",
        "secret/docs",
        "/queries",
        "admin/record",
        "admin/databases",
        "/admin/databases",
        "bulk_docs",
        "multi_get",
        "health/live",
        "metrics",
        "\u0131",
        "\u212A",
    ];

    private static readonly string[] s_methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "RESET", "get", "OPTIONS", "TRACE"];

    private readonly KnownClients _clients = new();
    private readonly ConcurrentQueue<(RouteMethod Method, string Database)> _ran = new();

    public void Dispose() => _clients.Dispose();

    [Fact]
    public async Task No_path_leads_a_reader_to_a_handler_that_needs_more()
    {
        await using var scene = await OpenAsync();
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var random = new Random(20261122);
        var handled = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var path = new StringBuilder(random.Next(2) == 0 ? "/databases/" : "/");
            for (var pieces = random.Next(1, 6); pieces > 0; pieces--)
                path.Append(s_pieces[random.Next(s_pieces.Length)]);
            var text = random.Next(3) == 0 ? Uri.UnescapeDataString(path.ToString()) : path.ToString();
            var method = s_methods[random.Next(s_methods.Length)];
            var answer = await scene.RequestAsync(
                method,
                text,
                headers: new Dictionary<string, string> { ["X-HTTP-Method-Override"] = "DELETE", ["X-Original-URL"] = "/metrics" },
                certificate: reader
            );
            handled += RequireOnlyOwn($"{method} {text}");
            Assert.True(answer.Status is 204 or 400 or 403 or 404 or 405, $"{method} {text}: {answer.Status}");
        }
        output.WriteLine($"20,000 paths, {handled} of which reached a handler");
        Assert.True(handled > 100, "Hardly any path was right, so the test shows nothing.");
    }

    [Fact]
    public async Task No_request_over_a_connection_leads_a_reader_to_a_handler_that_needs_more()
    {
        await using var scene = await OpenAsync();
        using var folder = new CertificateFolder();
        using var made = folder.Make();
        using var certificate = folder.Open(folder.WritePfx(made));
        using var mine = folder.Make("client");
        _clients.Set(mine, "reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var configuration = ServerConfiguration.Read(["--RunInMemory=true"], new Hashtable()) with
        {
            ServerUrls = [new Uri("https://127.0.0.1:0")],
        };
        await using var http = new HttpServer(configuration, certificate, scene.State.Gate);
        var url = "";
        await http.StartAsync(scene.State.Dispatcher, bound => url = bound);
        var port = new Uri(url).Port;

        var wrong = new List<string>();
        foreach (var (request, expected) in Requests())
        {
            var answer = await SendAsync(port, mine, request);
            var statuses = answer.Split("HTTP/1.1 ").Skip(1).Select(one => one[..3]);
            if (expected != string.Join(' ', statuses))
                wrong.Add($"{request}\n{answer}");
            RequireOnlyOwn(request);
        }
        Assert.True(wrong.Count == 0, string.Join("\n", wrong));
    }

    /// <summary>Requests as they stand on the wire, and the statuses of their answers.</summary>
    private static IEnumerable<(string Request, string Statuses)> Requests()
    {
        yield return (Of("GET /databases/db/stats"), "204");
        yield return (Of("GET /DataBases/DB/Stats/"), "204");
        yield return (Of("GET /databases/%64b/stats"), "204");
        yield return (Of("GET /databases/secret/stats"), "403");
        yield return (Of("GET /databases/s%65cret/stats"), "403");
        yield return (Of("GET /databases/SECRET/stats//"), "403");
        yield return (Of("GET /databases/db/../secret/stats"), "403");
        yield return (Of("GET /databases/db/%2e%2e/secret/stats"), "403");
        yield return (Of("GET /databases/db%2F..%2Fsecret/stats"), "403");
        yield return (Of("GET //databases/secret/stats"), "404");
        yield return (Of("GET /databases//secret/stats"), "404");
        yield return (Of("GET /./databases/secret/stats"), "403");
        yield return (Of("GET /databases/db;/secret/stats"), "404");
        yield return (Of("GET /databases/db%00/stats"), "400");
        yield return (Of("GET /databases/db/stats?database=secret#/databases/secret"), "204");
        yield return (Of("PUT /databases/db/docs?id=a", "Content-Length: 2\r\n", "{}"), "403");
        yield return (Of("POST /databases/db/stats", "X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n"), "405");
        yield return (Of("OPTIONS /databases/secret/docs"), "405");
        yield return (Of("OPTIONS *"), "404");
        yield return (Of("HEAD /databases/secret/docs"), "403");
        yield return (Of("HEAD /health/live"), "204");
        yield return ("GET https://host.example/databases/secret/stats HTTP/1.1\r\nHost: host.example\r\nConnection: close\r\n\r\n", "403");
        yield return ("GET https://host.example/databases/db/stats HTTP/1.1\r\nHost: host.example\r\nConnection: close\r\n\r\n", "204");
        yield return ("GET /databases/db/stats HTTP/1.1\r\nHost: host.example.:443\r\nConnection: close\r\n\r\n", "204");
        yield return ("GET /databases/db/stats HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "400");
        // Two at once: the second is a client's of its own right.
        yield return (
            "GET /databases/db/stats HTTP/1.1\r\nHost: a\r\n\r\n" + Of("DELETE /databases/db/docs?id=a") + Of("GET /databases/db/stats"),
            "204 403"
        );
        // A body that looks like a request stays a body.
        yield return (
            "POST /databases/db/docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2d\r\nDELETE /databases/db/docs?id=a HTTP/1.1\r\nHost: a\r\n0\r\n\r\n",
            "204"
        );
        yield return (Of("POST /databases/db/docs", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "204");
        yield return (Of("GET /databases/secret/changes", "Upgrade: websocket\r\n"), "403");
        yield return (Of("GET /databases/db/stats", "Upgrade: h2c\r\n"), "204");
        yield return (Of("CONNECT host.example:443"), "400");
    }

    private static string Of(string line, string headers = "", string body = "") =>
        $"{line} HTTP/1.1\r\nHost: host.example\r\nConnection: close\r\n{headers}\r\n{body}";

    private static async Task<string> SendAsync(int port, X509Certificate2 mine, string request)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port);
        await using var tls = new SslStream(client.GetStream());
        await tls.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                ClientCertificates = [mine],
#pragma warning disable CA5359 // The server is this process.
                RemoteCertificateValidationCallback = (_, _, _, _) => true,
#pragma warning restore CA5359
            }
        );
        await tls.WriteAsync(Encoding.Latin1.GetBytes(request));
        using var reader = new StreamReader(tls, Encoding.Latin1);
        return await reader.ReadToEndAsync().WaitAsync(TimeSpan.FromSeconds(30));
    }

    private async Task<ServerScene> OpenAsync()
    {
        var scene = await ServerScene.OpenAsync(certificates: _clients);
        await scene.State.Databases.CreateAsync("secret", default);
        var watched = new Router();
        var router = Routes.All();
        foreach (var route in router.ServerRoutes)
        foreach (var method in route.All)
            watched.Server(method.Method, route.Path, method.Right, request => Run(method, request, isServerWide: true));
        foreach (var route in router.DatabaseRoutes)
        foreach (var method in route.All)
            watched.Database(method.Method, route.Path, method.Right, request => Run(method, request, isServerWide: false));
        scene.State.Dispatcher = new RequestDispatcher(scene.State, watched, NullLogger.Instance);
        return scene;

        Task Run(RouteMethod method, RequestContext request, bool isServerWide)
        {
            _ran.Enqueue((method, isServerWide ? "" : request.DatabaseName));
            return request.SendEmptyAsync(204);
        }
    }

    /// <summary>Every handler that has run is one that a reader of "db" may call; gives how many have.</summary>
    private int RequireOnlyOwn(string request)
    {
        var count = 0;
        while (_ran.TryDequeue(out var one))
        {
            count++;
            var isOwn = one.Database.Length == 0 || one.Database.Equals("db", StringComparison.OrdinalIgnoreCase);
            Assert.True(isOwn && one.Method.Right <= RequiredRight.DatabaseRead, $"{request} ran {one.Method.Right} of '{one.Database}'");
        }
        return count;
    }
}

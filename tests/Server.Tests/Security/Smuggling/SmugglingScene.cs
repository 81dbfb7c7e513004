using System.Collections;
using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.RegularExpressions;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Hosting;
using Jackdaw.Server.Security.Tls;
using Jackdaw.Server.Tests.Security.Tls;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>A server on TLS with the database "db", and with or without a database "secret" in which there is one of everything.</summary>
[SupportedOSPlatform("linux")]
internal sealed partial class SmugglingScene : IAsyncDisposable
{
    /// <summary>Stands in every value of the other database, and in no request.</summary>
    public const string Marker = "onlysecretcontent";

    /// <summary>What an operator sees of a database.</summary>
    private static readonly string[] s_views =
    [
        "/docs",
        "/indexes",
        "/admin/record",
        "/collections/stats",
        "/events/all",
        "/snapshots/list?stream=hidden-stream",
        "/debug/identities",
        "/debug/expiration",
        "/debug/queries",
        "/admin/connection-strings",
        "/etl/tasks",
        "/operations/state?id=77",
        "/operations/state?id=76",
    ];

    private readonly ServerScene _scene;
    private readonly HttpServer _http;
    private readonly ServerCertificate _certificate;
    private readonly X509Certificate2 _operator;
    private readonly List<RunningQuery> _queries = [];
    private int _port;

    private SmugglingScene(ServerScene scene, HttpServer http, ServerCertificate certificate, X509Certificate2 oper)
    {
        _scene = scene;
        _http = http;
        _certificate = certificate;
        _operator = oper;
    }

    public ServerScene Scene => _scene;

    /// <summary>Opens a server.</summary>
    /// <param name="clients">Whom it knows.</param>
    /// <param name="oper">The certificate of an operator.</param>
    /// <param name="folder">Holds the server's certificate, <c>server.pfx</c>.</param>
    /// <param name="hasOther">Whether there is the database "secret".</param>
    public static async Task<SmugglingScene> OpenAsync(KnownClients clients, X509Certificate2 oper, CertificateFolder folder, bool hasOther)
    {
        var scene = await ServerScene.OpenAsync(certificates: clients);
        var configuration = ServerConfiguration.Read(["--RunInMemory=true"], new Hashtable()) with
        {
            ServerUrls = [new Uri("https://127.0.0.1:0")],
        };
        var certificate = folder.Open(Path.Combine(folder.Folder, "server.pfx"));
        var opened = new SmugglingScene(scene, new HttpServer(configuration, certificate, scene.State.Gate), certificate, oper);
        await opened._http.StartAsync(
            scene.State.Dispatcher,
            url =>
            {
                opened._port = new Uri(url).Port;
                scene.State.SetUrl(url);
            }
        );
        scene.State.IsOpened = true;
        // A record as a client gives it.
        await opened.RequireAsync("PUT", "/databases/db/admin/configuration/settings", "{}");
        await opened.FillAsync("db", "own", "Own", "own-stream", content: "own");
        if (hasOther)
        {
            await opened.RequireAsync("PUT", "/admin/databases?name=secret", """{"DatabaseName":"secret"}""");
            await opened.FillAsync("secret", "hidden", "Hidden", "hidden-stream", Marker);
            foreach (var id in new[] { 75, 76, 77 })
                await opened.RequireAsync(
                    "POST",
                    $"/databases/secret/bulk_insert?id={id}",
                    $$$"""[{"Id":"hidden/{{{id}}}","Type":"PUT","Document":{}}]"""
                );
            await opened.RequireAsync("POST", "/databases/secret/bulk_insert", """[{"Id":"hidden/4","Type":"PUT","Document":{}}]""");
            await opened.RequireAsync("POST", "/databases/secret/identity/next?name=hidden|&raft-request-id=operators-own-request");
            await opened.RequireAsync("POST", "/databases/secret/identity/next?name=own|&raft-request-id=operators-own-request");
            for (var i = 0; i < 2; i++)
                opened._queries.Add(scene.State.Queries.Begin(scene.State.Databases.Get("secret"), $"from {Marker}", default));
        }
        return opened;
    }

    /// <summary>Where the server listens.</summary>
    public int Port => _port;

    /// <summary>Something happens in the other database, where there is one: documents, events, an operation.</summary>
    public async Task ChangeOtherAsync()
    {
        if (_scene.State.Databases.Record("secret") is null)
            return;
        await RequireAsync(
            "PUT",
            "/databases/secret/docs?id=hidden/1",
            $$$"""{"Text":"{{{Marker}}}","@metadata":{"@collection":"Hidden"}}"""
        );
        await RequireAsync("DELETE", "/databases/secret/docs?id=hidden/2");
        await RequireAsync("POST", "/databases/secret/bulk_insert?id=79", """[{"Id":"hidden/5","Type":"PUT","Document":{}}]""");
        await RequireAsync("POST", "/databases/secret/events", Append("hidden-stream", Marker, "hidden", first: 2));
    }

    /// <summary>A document and an event are stored in the client's own database.</summary>
    public async Task ChangeOwnAsync()
    {
        await RequireAsync("POST", "/databases/db/events", Append("own-stream", "own", "own", first: 2));
        await RequireAsync("PUT", "/databases/db/docs?id=own/last", "{}");
    }

    public WireClient Client(X509Certificate2 certificate) => new(_port, certificate);

    /// <summary>The id of the other database; one that no database has where there is none.</summary>
    public string OtherId => _scene.State.Databases.TryGetOpen("secret")?.IdText ?? "AAAAAAAAAAAAAAAAAAAAAA";

    /// <summary>All that an operator sees of the other database; it changes when anything in it does.</summary>
    public async Task<string> OtherAsync()
    {
        var all = new StringBuilder();
        foreach (var view in s_views)
            all.Append(view).Append(": ").AppendLine((await AskAsync("GET", "/databases/secret" + view)).Text);
        all.AppendLine((await AskAsync("GET", "/databases?namesOnly=true")).Text);
        return Durations().Replace(all.ToString(), "0") + string.Join(' ', _queries.Select(query => query.IsKilled));
    }

    /// <summary>An answer without what differs between any two servers: ids made by chance, the port, and what a clock says.</summary>
    public string Comparable(WireAnswer answer) => Comparable($"{Dates().Replace(answer.Head, "")}\n\n{answer.Body}");

    /// <summary>Likewise of any text that a server has sent.</summary>
    public string Comparable(string text)
    {
        foreach (var (id, shown) in new[] { (_scene.Database.IdText, "‹id›"), (OtherId, "‹other id›") })
        foreach (var form in new[] { id, Uri.EscapeDataString(id), id.Replace("+", "\\u002B", StringComparison.Ordinal) })
            text = text.Replace(form, shown, StringComparison.Ordinal);
        text = text.Replace($":{_port}", ":‹port›", StringComparison.Ordinal);
        if (text.Contains("ScratchUsedBytes", StringComparison.Ordinal))
            // The state of the storage is of this moment; its own room counts nothing of others.
            text = Numbers().Replace(text, "0");
        text = Guids().Replace(Durations().Replace(Instants().Replace(text, "‹time›"), "0"), "‹guid›");
        return Hashes().Replace(text, "‹hash›");
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var query in _queries)
            query.Dispose();
        await _http.DisposeAsync();
        _certificate.Dispose();
        await _scene.DisposeAsync();
    }

    private async Task FillAsync(string database, string prefix, string collection, string stream, string content)
    {
        var at = "/databases/" + database;
        foreach (var number in new[] { 1, 2 })
            await RequireAsync(
                "PUT",
                $"{at}/docs?id={prefix}/{number}",
                $$$"""{"Text":"{{{content}}}","ref":"hidden/1","@metadata":{"@collection":"{{{collection}}}"}}"""
            );
        await RequireAsync("POST", at + "/events", Append(stream, content, prefix, first: 1));
        await RequireAsync("PUT", $"{at}/snapshots?stream={stream}&number=1", content);
        await RequireAsync(
            "PUT",
            at + "/admin/connection-strings",
            $$$"""{"Type":"Queue","Name":"{{{prefix}}}","BrokerType":"None","WebhookConnectionSettings":{"Url":"https://{{{content}}}.example/"}}"""
        );
        await RequireAsync(
            "PUT",
            at + "/admin/etl",
            $$"""{"EtlType":"Queue","BrokerType":"None","Name":"{{prefix}}-task","ConnectionStringName":"{{prefix}}","Disabled":true,"Transforms":[{"Name":"t","Collections":["{{collection}}"],"Script":"loadToX({ t: '{{content}}' })"}]}"""
        );
    }

    private static string Append(string stream, string content, string tag, int first) =>
        $$"""{"groups":[{"stream":"{{stream}}","first":{{first}},"events":[{"payload":"{{content}}","tags":["{{tag}}"]}]}]}""";

    private async Task RequireAsync(string method, string target, string body = "")
    {
        var answer = await AskAsync(method, target, body);
        Assert.True(answer.Status is >= 200 and < 300, $"{method} {target}: {answer.Status} {answer.Text}");
    }

    /// <summary>As the operator, past the network.</summary>
    private Task<ServedAnswer> AskAsync(string method, string target, string body = "")
    {
        var mark = target.IndexOf('?', StringComparison.Ordinal);
        var (path, query) = mark < 0 ? (target, "") : (target[..mark], target[mark..]);
        return _scene.RequestAsync(method, path, query, body, certificate: _operator);
    }

    [GeneratedRegex(@"(?m)^(Date|Content-Length): .*\n?")]
    private static partial Regex Dates();

    [GeneratedRegex(@"\d{4}-\d\d-\d\dT[\d:.]+Z?")]
    private static partial Regex Instants();

    [GeneratedRegex(@"(?<=""(DurationInMs|LeaderShipDuration|OverdueInSec|SecondsBehind)"":)\s*[\d.]+")]
    private static partial Regex Durations();

    /// <summary>Of an answer, the database's id included.</summary>
    [GeneratedRegex(@"(?<=""Hash-)[A-Za-z0-9+/]+|(?<=""ResultEtag"":)-?\d+|(?<=ETag: "")-?\d{10,}")]
    private static partial Regex Hashes();

    [GeneratedRegex(@"[0-9]+(\.[0-9]+)?(E-[0-9]+)?")]
    private static partial Regex Numbers();

    [GeneratedRegex(@"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")]
    private static partial Regex Guids();
}

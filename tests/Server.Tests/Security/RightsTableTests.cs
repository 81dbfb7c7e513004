using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit.Abstractions;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Every route that the server has, asked by every kind of client, over the real handlers.</summary>
public sealed class RightsTableTests(ITestOutputHelper output) : IDisposable
{
    private const string AuthorizationException = "Raven.Client.Exceptions.Security.AuthorizationException";

    /// <summary>What a client of each kind may do: the sections of the page. The last two name the database "db" in their query.</summary>
    private static readonly Dictionary<string, string[]> s_sectionsOf = new()
    {
        ["no certificate"] = ["Anyone"],
        ["an unknown certificate"] = ["Anyone"],
        ["an expired certificate"] = ["Anyone"],
        ["a user without rights"] = ["Anyone", "Known"],
        ["an Admin of another database"] = ["Anyone", "Known"],
        ["a reader"] = ["Anyone", "Known", OfNamed("Read"), "Read"],
        ["a writer"] = ["Anyone", "Known", OfNamed("Read"), "Read", "ReadWrite"],
        ["an Admin"] = ["Anyone", "Known", OfNamed("Read"), OfNamed("Admin"), "Read", "ReadWrite", "Admin"],
        ["an operator"] = ["Anyone", "Known", OfNamed("Read"), OfNamed("Admin"), "Read", "ReadWrite", "Admin", "Operator"],
        ["an administrator"] =
        [
            "Anyone",
            "Known",
            OfNamed("Read"),
            OfNamed("Admin"),
            "Read",
            "ReadWrite",
            "Admin",
            "Operator",
            "ClusterAdmin",
        ],
    };

    private readonly KnownClients _clients = new();

    public void Dispose() => _clients.Dispose();

    [Fact]
    public async Task Each_route_lets_in_whom_the_page_of_rights_says_and_nobody_else()
    {
        var expected = ExpectedRights.Read();
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        await scene.State.Databases.CreateAsync("other", default);
        scene.State.SetUrl("https://127.0.0.1:1");
        var wrong = new List<string>();
        var asked = 0;
        foreach (var (route, method, path) in Mapped(Routes.All()))
        {
            if (!expected.TryGetValue(route, out var section))
            {
                wrong.Add($"docs/security-routes.md does not have {route}");
                continue;
            }
            foreach (var (asker, certificate) in Askers())
            {
                asked++;
                var isExpected = s_sectionsOf[asker].Contains(section);
                if (await AskAsync(scene, route, method, path, certificate) is { } isLetIn && isLetIn != isExpected)
                    wrong.Add($"{route} {(isLetIn ? "lets in" : "refuses")} {asker}; it should require {section}");
            }
        }
        var routes = Mapped(Routes.All()).Select(one => one.Route).ToHashSet();
        wrong.AddRange(expected.Keys.Where(route => !routes.Contains(route)).Select(route => $"the server has no {route}"));

        output.WriteLine($"{routes.Count} routes, {s_sectionsOf.Count} kinds of client, {asked} requests");
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        Assert.Equal(s_sectionsOf.Count * routes.Count, asked);
    }

    private static string OfNamed(string right) => $"{right} of the database that the query names";

    /// <summary>All routes of a router: the name that the page has for each, its method, and its path in the database "db".</summary>
    private static IEnumerable<(string Route, string Method, string Path)> Mapped(Router router)
    {
        foreach (var route in router.ServerRoutes)
        foreach (var method in route.All)
            yield return ($"{method.Method} {route.Path}", method.Method, route.Path);
        foreach (var route in router.DatabaseRoutes)
        foreach (var method in route.All)
            yield return ($"{method.Method} {{db}}{route.Path}", method.Method, "/databases/db" + route.Path);
    }

    private List<(string Name, X509Certificate2? Certificate)> Askers()
    {
        _askers ??=
        [
            ("no certificate", null),
            ("an unknown certificate", _clients.Unknown("unknown")),
            ("an expired certificate", _clients.Refused("expired", "The certificate expired yesterday.")),
            ("a user without rights", _clients.Add("user", Clearance.ValidUser)),
            ("an Admin of another database", _clients.Add("other", Clearance.ValidUser, ("other", DatabaseRight.Admin))),
            ("a reader", _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read))),
            ("a writer", _clients.Add("writer", Clearance.ValidUser, ("db", DatabaseRight.ReadWrite))),
            ("an Admin", _clients.Add("admin", Clearance.ValidUser, ("db", DatabaseRight.Admin))),
            ("an operator", _clients.Add("operator", Clearance.Operator)),
            ("an administrator", _clients.Add("administrator", Clearance.ClusterAdmin)),
        ];
        return _askers;
    }

    private List<(string Name, X509Certificate2? Certificate)>? _askers;

    /// <summary>Sends the request with nothing that its handler could carry out; tells whether it was let in, by its handler and by the
    /// answer.</summary>
    private static async Task<bool?> AskAsync(ServerScene scene, string route, string method, string path, X509Certificate2? certificate)
    {
        var handled = false;
        scene.State.Dispatcher = new RequestDispatcher(scene.State, Watched(() => handled = true), NullLogger.Instance);
        // What stays open ends of itself.
        using var gone = new CancellationTokenSource(
            TimeSpan.FromMilliseconds(route.EndsWith("/events/live", StringComparison.Ordinal) ? 50 : 30_000)
        );
        var answer = await scene
            .RequestAsync(method, path, query: "?name=db", certificate: certificate, gone: gone.Token)
            .WaitAsync(TimeSpan.FromSeconds(10));
        if (answer.Status != 403)
        {
            Assert.True(handled, $"{route} was answered {answer.Status} by no handler.");
            return true;
        }
        if (method != "HEAD")
            Assert.Equal(AuthorizationException, answer.Json.GetProperty("Type").GetString());
        // A handler that refuses because of what the query names has run; no other has.
        if (handled)
            Assert.True(route is "GET /topology" or "GET /admin/databases", $"The handler of {route} ran and refused.");
        return false;
    }

    /// <summary>The server's routes, each of which tells when its handler runs.</summary>
    private static Router Watched(Action ran)
    {
        var watched = new Router();
        var router = Routes.All();
        foreach (var route in router.ServerRoutes)
        foreach (var method in route.All)
            watched.Server(method.Method, route.Path, method.Right, request => Run(method, request));
        foreach (var route in router.DatabaseRoutes)
        foreach (var method in route.All)
            watched.Database(method.Method, route.Path, method.Right, request => Run(method, request));
        return watched;

        Task Run(RouteMethod method, RequestContext request)
        {
            ran();
            return method.Handler(request);
        }
    }
}

using Jackdaw.Server.Security;

namespace Jackdaw.Server.Http;

/// <summary>
/// Two tables of paths, compared without case: server-wide ones, and those below <c>/databases/{name}</c>. The protocol puts
/// everything else
/// into the query string, so no pattern is ever matched.
/// </summary>
internal sealed class Router
{
    private const string DatabasesPrefix = "/databases/";

    private readonly Dictionary<string, Route> _server = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, Route> _database = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, Route>.AlternateLookup<ReadOnlySpan<char>> _serverByChars;
    private readonly Dictionary<string, Route>.AlternateLookup<ReadOnlySpan<char>> _databaseByChars;

    public Router()
    {
        _serverByChars = _server.GetAlternateLookup<ReadOnlySpan<char>>();
        _databaseByChars = _database.GetAlternateLookup<ReadOnlySpan<char>>();
    }

    /// <summary>Server-wide paths, for tests that go through all of them.</summary>
    public IEnumerable<Route> ServerRoutes => _server.Values;

    /// <summary>Paths below <c>/databases/{name}</c>, for tests that go through all of them.</summary>
    public IEnumerable<Route> DatabaseRoutes => _database.Values;

    /// <summary>Maps a server-wide path.</summary>
    /// <param name="method">E.g. <c>GET</c>.</param>
    /// <param name="path">E.g. <c>/databases</c>.</param>
    /// <param name="right">Not one of a database: there is none in the path.</param>
    /// <param name="handler">Answers the request.</param>
    public Router Server(string method, string path, RequiredRight right, RequestHandler handler)
    {
        if (right is RequiredRight.DatabaseRead or RequiredRight.DatabaseReadWrite or RequiredRight.DatabaseAdmin)
            throw new InvalidOperationException($"{method} {path} requires {right}, and its path names no database.");
        return Add(_server, path, new RouteMethod(method, right, handler));
    }

    /// <summary>Maps a path below <c>/databases/{name}</c>.</summary>
    /// <param name="method">E.g. <c>GET</c>.</param>
    /// <param name="path">E.g. <c>/docs</c>.</param>
    /// <param name="right">At least the right to read the database: without it nobody is to learn whether the database exists.</param>
    /// <param name="handler">Answers the request.</param>
    public Router Database(string method, string path, RequiredRight right, RequestHandler handler)
    {
        if (right is RequiredRight.Anyone or RequiredRight.Known)
            throw new InvalidOperationException($"{method} {path} requires only {right}, and its path names a database.");
        return Add(_database, path, new RouteMethod(method, right, handler));
    }

    /// <summary>Finds the route of a decoded path; <paramref name="database"/> is empty for a server-wide one.</summary>
    public Route? Find(string path, out ReadOnlySpan<char> database)
    {
        var trimmed = path.Length > 1 ? path.AsSpan().TrimEnd('/') : path;
        if (trimmed.StartsWith(DatabasesPrefix, StringComparison.OrdinalIgnoreCase))
        {
            var rest = trimmed[DatabasesPrefix.Length..];
            var slash = rest.IndexOf('/');
            if (slash > 0)
            {
                database = rest[..slash];
                return _databaseByChars.TryGetValue(rest[slash..], out var inner) ? inner : null;
            }
        }
        database = default;
        return _serverByChars.TryGetValue(trimmed, out var route) ? route : null;
    }

    private Router Add(Dictionary<string, Route> table, string path, RouteMethod method)
    {
        if (!table.TryGetValue(path, out var route))
            table.Add(path, route = new Route(path));
        route.Add(method);
        return this;
    }
}

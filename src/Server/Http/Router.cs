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

    public Router Server(string method, string path, RequestHandler handler) => Add(_server, method, path, handler);

    /// <summary>A path below <c>/databases/{name}</c>, e.g. <c>/docs</c>.</summary>
    public Router Database(string method, string path, RequestHandler handler) => Add(_database, method, path, handler);

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

    private Router Add(Dictionary<string, Route> table, string method, string path, RequestHandler handler)
    {
        if (!table.TryGetValue(path, out var route))
            table.Add(path, route = new Route(path));
        route.Add(method, handler);
        return this;
    }
}

using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Http;

/// <summary>What every endpoint of a database begins with.</summary>
internal static class RequestContextExtensions
{
    /// <summary>The single node's topology changes only with the process, so its etag is constant.</summary>
    public const long TopologyEtag = 1;

    /// <summary>No client configuration is kept by this version.</summary>
    public const long ClientConfigurationEtag = 0;

    /// <summary>The database named in the path; tells the client to read the topology or its configuration again where it is
    /// behind.</summary>
    /// <exception cref="DatabaseUnavailableException">It does not exist, is disabled or cannot be opened.</exception>
    public static Database Database(this RequestContext request)
    {
        var database = request.Server.Databases.Get(request.DatabaseName);
        var headers = request.Request.Headers;
        if (headers.TryGetValue("Topology-Etag", out var topology) && IsBehind(topology.ToString(), TopologyEtag))
            request.Http.Response.Headers["Refresh-Topology"] = "true";
        if (
            headers.TryGetValue("Client-Configuration-Etag", out var configuration)
            && IsBehind(configuration.ToString(), ClientConfigurationEtag)
        )
            request.Http.Response.Headers["Refresh-Client-Configuration"] = "true";
        return database;
    }

    /// <summary>The record of the database named in the path or the query, whether it is open or not.</summary>
    public static DatabaseRecord Record(this RequestContext request, string name) =>
        request.Server.Databases.Record(name) ?? throw new DatabaseDoesNotExistException(name);

    /// <summary>The etag of the record of the database in the path, which answers to its changes carry. It counts this database's changes
    /// alone: the server's own count would tell one database's administrators of the others.</summary>
    public static long RecordEtag(this RequestContext request) => request.Server.Databases.Record(request.DatabaseName)?.Etag ?? 0;

    private static bool IsBehind(string header, long current) => long.TryParse(header.AsSpan().Trim('"'), out var known) && known < current;
}

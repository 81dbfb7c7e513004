using Jackdaw.Server.Errors;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints;

/// <summary>Parts of the protocol that clients use and this version does not have: an answer that says so, instead of an unknown route.</summary>
internal static class NotYetSupportedEndpoints
{
    private static readonly (string Feature, string Method, string[] Paths)[] Database =
    [
        ("Indexes", "GET", ["/indexes", "/indexes/stats", "/indexes/errors", "/indexes/terms", "/indexes/status"]),
        ("Indexes", "PUT", ["/indexes", "/admin/indexes"]),
        ("Indexes", "DELETE", ["/indexes", "/indexes/errors"]),
        ("Indexes", "RESET", ["/indexes"]),
        ("Indexes", "POST", ["/indexes/has-changed", "/indexes/set-lock", "/indexes/set-priority", "/admin/indexes/start", "/admin/indexes/stop", "/admin/indexes/enable", "/admin/indexes/disable"]),
        ("Attachments", "GET", ["/attachments"]),
        ("Attachments", "PUT", ["/attachments"]),
        ("Attachments", "HEAD", ["/attachments"]),
        ("Attachments", "DELETE", ["/attachments"]),
        ("Attachments", "POST", ["/attachments", "/attachments/bulk"]),
        ("Counters", "GET", ["/counters"]),
        ("Counters", "POST", ["/counters"]),
        ("Revisions", "GET", ["/revisions", "/revisions/count", "/revisions/bin"]),
        ("Revisions", "POST", ["/admin/revisions/config", "/admin/revisions/config/enforce"]),
        ("Compare exchange", "GET", ["/cmpxchg"]),
        ("Compare exchange", "PUT", ["/cmpxchg"]),
        ("Compare exchange", "DELETE", ["/cmpxchg"]),
        ("Time series", "GET", ["/timeseries", "/timeseries/ranges", "/timeseries/stats"]),
        ("Time series", "POST", ["/timeseries", "/admin/timeseries/config", "/timeseries/names/config"]),
        ("The changes API", "GET", ["/changes"]),
        ("Data subscriptions", "GET", ["/subscriptions", "/subscriptions/state"]),
        ("Data subscriptions", "PUT", ["/subscriptions"]),
        ("Data subscriptions", "DELETE", ["/subscriptions"]),
        ("Data subscriptions", "POST", ["/subscriptions/update", "/subscriptions/drop"]),
        ("Queue sinks", "PUT", ["/admin/queue-sink"]),
        ("Expiration", "POST", ["/admin/expiration/config"]),
        ("Refreshing", "POST", ["/admin/refresh/config"]),
        ("Archiving", "POST", ["/admin/data-archival/config"]),
        ("Export and import", "POST", ["/smuggler/export", "/smuggler/import"]),
        ("Backup", "POST", ["/admin/periodic-backup", "/admin/backup", "/admin/backup/database"]),
        ("The client configuration", "PUT", ["/admin/configuration/client"]),
    ];

    private static readonly (string Feature, string Method, string[] Paths)[] Server =
    [
        ("Certificates", "GET", ["/admin/certificates"]),
        ("Certificates", "PUT", ["/admin/certificates"]),
        ("Certificates", "POST", ["/admin/certificates", "/admin/certificates/edit"]),
        ("Certificates", "DELETE", ["/admin/certificates"]),
        ("Compacting while the server runs (see ./run compact)", "POST", ["/admin/compact"]),
        ("Restoring a backup", "POST", ["/admin/restore/database"]),
        ("A cluster of several nodes", "PUT", ["/admin/cluster/node"]),
        ("Data subscriptions", "GET", ["/info/remote-task/tcp"]),
        ("The client configuration", "PUT", ["/admin/configuration/client"]),
    ];

    public static void Map(Router router)
    {
        foreach (var (feature, method, paths) in Database)
            foreach (var path in paths)
                router.Database(method, path, Refusal(feature));
        foreach (var (feature, method, paths) in Server)
            foreach (var path in paths)
                router.Server(method, path, Refusal(feature));
    }

    private static RequestHandler Refusal(string feature) => _ => throw new FeatureNotSupportedException(feature);
}

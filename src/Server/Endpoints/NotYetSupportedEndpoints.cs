using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints;

/// <summary>Parts of the protocol that clients use and this version does not have: an answer that says so, instead of an unknown
/// route.</summary>
internal static class NotYetSupportedEndpoints
{
    private static readonly (string Feature, string Method, string[] Paths)[] Database =
    [
        ("Attachments", "GET", ["/attachments"]),
        ("Attachments", "PUT", ["/attachments"]),
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
        ("Attachments", "POST", ["/admin/attachments/remote/config"]),
        ("Attachments", "GET", ["/admin/attachments/remote/config"]),
        ("Attachments", "PUT", ["/admin/attachments/remote/config"]),
        ("Revisions", "POST", ["/revisions/revert", "/admin/revisions/conflicts/config"]),
        ("Revisions", "DELETE", ["/admin/revisions"]),
        ("Time series", "PUT", ["/admin/timeseries/policy"]),
        ("Time series", "DELETE", ["/admin/timeseries/policy"]),
        ("Data subscriptions", "GET", ["/subscriptions", "/subscriptions/state"]),
        ("Data subscriptions", "PUT", ["/subscriptions"]),
        ("Data subscriptions", "DELETE", ["/subscriptions"]),
        ("Data subscriptions", "POST", ["/subscriptions/update", "/subscriptions/drop"]),
        ("Custom analyzers", "PUT", ["/admin/analyzers"]),
        ("Custom analyzers", "DELETE", ["/admin/analyzers"]),
        ("Custom sorters", "PUT", ["/admin/sorters"]),
        ("Custom sorters", "DELETE", ["/admin/sorters"]),
        ("Replication", "GET", ["/replication/conflicts", "/tasks/pull-replication/hub", "/admin/tasks/pull-replication/hub/access"]),
        (
            "Replication",
            "POST",
            ["/admin/tasks/external-replication", "/admin/tasks/sink-pull-replication", "/admin/pull-replication/generate-certificate"]
        ),
        ("Replication", "PUT", ["/admin/tasks/pull-replication/hub", "/admin/tasks/pull-replication/hub/access"]),
        ("Replication", "DELETE", ["/admin/tasks/pull-replication/hub/access"]),
        ("Document compression", "POST", ["/admin/documents-compression/config"]),
        ("Schema validation", "GET", ["/schema-validation/config"]),
        ("Schema validation", "POST", ["/admin/schema-validation/config"]),
        ("Transaction recording", "POST", ["/admin/transactions/start-recording", "/admin/transactions/stop-recording"]),
        ("Sample data", "POST", ["/studio/sample-data"]),
        ("AI agents", "GET", ["/admin/ai/agent"]),
        ("AI agents", "PUT", ["/admin/ai/agent"]),
        ("AI agents", "DELETE", ["/admin/ai/agent"]),
        ("AI agents", "POST", ["/ai/agent"]),
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
        ("Server-wide operations", "GET", ["/operations/state"]),
        ("Server-wide operations", "POST", ["/admin/operations/kill"]),
        ("Locking databases", "POST", ["/admin/databases/set-lock"]),
        (
            "A cluster of several nodes",
            "POST",
            [
                "/admin/databases/reorder",
                "/admin/databases/dynamic-node-distribution",
                "/admin/databases/promote",
                "/admin/databases/topology/modify",
                "/admin/databases/unused-ids",
            ]
        ),
        ("A cluster of several nodes", "PUT", ["/admin/databases/node"]),
        ("Sharding", "PUT", ["/admin/databases/shard", "/admin/databases/orchestrator"]),
        ("Sharding", "DELETE", ["/admin/databases/orchestrator"]),
        ("Replication", "POST", ["/admin/replication/conflicts/solver"]),
        ("Backup", "GET", ["/periodic-backup/status"]),
        ("Backup", "POST", ["/admin/backup-task/delay"]),
        ("Server-wide tasks", "GET", ["/admin/configuration/server-wide/tasks"]),
        ("Server-wide tasks", "PUT", ["/admin/configuration/server-wide/backup", "/admin/configuration/server-wide/external-replication"]),
        ("Server-wide tasks", "POST", ["/admin/configuration/server-wide/state"]),
        ("Server-wide tasks", "DELETE", ["/admin/configuration/server-wide/task"]),
        ("Custom analyzers", "PUT", ["/admin/analyzers"]),
        ("Custom analyzers", "DELETE", ["/admin/analyzers"]),
        ("Custom sorters", "PUT", ["/admin/sorters"]),
        ("Custom sorters", "DELETE", ["/admin/sorters"]),
        ("Log configuration by request (see Logs.MinLevel)", "GET", ["/admin/logs/configuration"]),
        ("Log configuration by request (see Logs.MinLevel)", "POST", ["/admin/logs/configuration"]),
        ("The traffic watch", "POST", ["/admin/traffic-watch/configuration"]),
        ("The console", "POST", ["/admin/console"]),
        ("Certificates", "GET", ["/admin/certificates"]),
        ("Certificates", "PUT", ["/admin/certificates"]),
        ("Certificates", "POST", ["/admin/certificates", "/admin/certificates/edit", "/admin/certificates/replace-cluster-cert"]),
        ("Certificates", "DELETE", ["/admin/certificates"]),
        ("Compaction while the server runs (see ./run compact)", "POST", ["/admin/compact"]),
        ("Restoring a backup", "POST", ["/admin/restore/database"]),
        ("A cluster of several nodes", "PUT", ["/admin/cluster/node"]),
        ("Data subscriptions", "GET", ["/info/remote-task/tcp"]),
        ("The client configuration", "PUT", ["/admin/configuration/client"]),
    ];

    /// <summary>What is refused, by name.</summary>
    public static IEnumerable<string> Features =>
        Database.Concat(Server).Select(refusal => refusal.Feature).Distinct(StringComparer.Ordinal);

    public static void Map(Router router)
    {
        // There is none, so this is the right answer; and no body could tell the client of a HEAD what another status would mean.
        router.Database(
            "HEAD",
            "/attachments",
            request =>
            {
                request.Database();
                return request.SendEmptyAsync(StatusCodes.Status404NotFound);
            }
        );
        foreach (var (feature, method, paths) in Database)
        foreach (var path in paths)
            router.Database(method, path, Refusal(feature));
        foreach (var (feature, method, paths) in Server)
        foreach (var path in paths)
            router.Server(method, path, Refusal(feature));
    }

    private static RequestHandler Refusal(string feature) => _ => throw new FeatureNotSupportedException(feature);
}

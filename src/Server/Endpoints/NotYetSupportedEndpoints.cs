using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints;

/// <summary>Parts of the protocol that clients use and this version does not have: an answer that says so, instead of an unknown
/// route.</summary>
internal static class NotYetSupportedEndpoints
{
    private static readonly (string Feature, string Method, RequiredRight Right, string[] Paths)[] Database =
    [
        ("Attachments", "GET", RequiredRight.DatabaseRead, ["/attachments"]),
        ("Attachments", "PUT", RequiredRight.DatabaseReadWrite, ["/attachments"]),
        ("Attachments", "DELETE", RequiredRight.DatabaseReadWrite, ["/attachments"]),
        ("Attachments", "POST", RequiredRight.DatabaseRead, ["/attachments", "/attachments/bulk"]),
        ("Counters", "GET", RequiredRight.DatabaseRead, ["/counters"]),
        ("Counters", "POST", RequiredRight.DatabaseReadWrite, ["/counters"]),
        ("Revisions", "GET", RequiredRight.DatabaseRead, ["/revisions", "/revisions/count", "/revisions/bin"]),
        ("Revisions", "POST", RequiredRight.DatabaseAdmin, ["/admin/revisions/config", "/admin/revisions/config/enforce"]),
        ("Compare exchange", "GET", RequiredRight.DatabaseRead, ["/cmpxchg"]),
        ("Compare exchange", "PUT", RequiredRight.DatabaseReadWrite, ["/cmpxchg"]),
        ("Compare exchange", "DELETE", RequiredRight.DatabaseReadWrite, ["/cmpxchg"]),
        ("Time series", "GET", RequiredRight.DatabaseRead, ["/timeseries", "/timeseries/ranges", "/timeseries/stats"]),
        ("Time series", "POST", RequiredRight.DatabaseReadWrite, ["/timeseries"]),
        ("Time series", "POST", RequiredRight.DatabaseAdmin, ["/admin/timeseries/config", "/timeseries/names/config"]),
        ("Attachments", "POST", RequiredRight.DatabaseAdmin, ["/admin/attachments/remote/config"]),
        ("Attachments", "GET", RequiredRight.DatabaseAdmin, ["/admin/attachments/remote/config"]),
        ("Attachments", "PUT", RequiredRight.DatabaseAdmin, ["/admin/attachments/remote/config"]),
        ("Revisions", "POST", RequiredRight.DatabaseAdmin, ["/revisions/revert", "/admin/revisions/conflicts/config"]),
        ("Revisions", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/revisions"]),
        ("Time series", "PUT", RequiredRight.DatabaseAdmin, ["/admin/timeseries/policy"]),
        ("Time series", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/timeseries/policy"]),
        ("Data subscriptions", "GET", RequiredRight.DatabaseRead, ["/subscriptions", "/subscriptions/state"]),
        ("Data subscriptions", "PUT", RequiredRight.DatabaseReadWrite, ["/subscriptions"]),
        ("Data subscriptions", "DELETE", RequiredRight.DatabaseReadWrite, ["/subscriptions"]),
        ("Data subscriptions", "POST", RequiredRight.DatabaseReadWrite, ["/subscriptions/update", "/subscriptions/drop"]),
        ("Custom analyzers", "PUT", RequiredRight.DatabaseAdmin, ["/admin/analyzers"]),
        ("Custom analyzers", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/analyzers"]),
        ("Custom sorters", "PUT", RequiredRight.DatabaseAdmin, ["/admin/sorters"]),
        ("Custom sorters", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/sorters"]),
        ("Replication", "GET", RequiredRight.DatabaseRead, ["/replication/conflicts"]),
        ("Replication", "GET", RequiredRight.DatabaseAdmin, ["/tasks/pull-replication/hub", "/admin/tasks/pull-replication/hub/access"]),
        (
            "Replication",
            "POST",
            RequiredRight.DatabaseAdmin,
            ["/admin/tasks/external-replication", "/admin/tasks/sink-pull-replication", "/admin/pull-replication/generate-certificate"]
        ),
        (
            "Replication",
            "PUT",
            RequiredRight.DatabaseAdmin,
            ["/admin/tasks/pull-replication/hub", "/admin/tasks/pull-replication/hub/access"]
        ),
        ("Replication", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/tasks/pull-replication/hub/access"]),
        ("Document compression", "POST", RequiredRight.DatabaseAdmin, ["/admin/documents-compression/config"]),
        ("Schema validation", "GET", RequiredRight.DatabaseRead, ["/schema-validation/config"]),
        ("Schema validation", "POST", RequiredRight.DatabaseAdmin, ["/admin/schema-validation/config"]),
        (
            "Transaction recording",
            "POST",
            RequiredRight.DatabaseAdmin,
            ["/admin/transactions/start-recording", "/admin/transactions/stop-recording"]
        ),
        ("Sample data", "POST", RequiredRight.DatabaseReadWrite, ["/studio/sample-data"]),
        ("AI agents", "GET", RequiredRight.DatabaseAdmin, ["/admin/ai/agent"]),
        ("AI agents", "PUT", RequiredRight.DatabaseAdmin, ["/admin/ai/agent"]),
        ("AI agents", "DELETE", RequiredRight.DatabaseAdmin, ["/admin/ai/agent"]),
        ("AI agents", "POST", RequiredRight.DatabaseReadWrite, ["/ai/agent"]),
        ("Queue sinks", "PUT", RequiredRight.DatabaseAdmin, ["/admin/queue-sink"]),
        ("Archiving", "POST", RequiredRight.DatabaseAdmin, ["/admin/data-archival/config"]),
        ("Export and import", "POST", RequiredRight.DatabaseRead, ["/smuggler/export"]),
        ("Export and import", "POST", RequiredRight.DatabaseAdmin, ["/smuggler/import"]),
        ("Backup", "POST", RequiredRight.Operator, ["/admin/periodic-backup", "/admin/backup", "/admin/backup/database"]),
        ("The client configuration", "PUT", RequiredRight.DatabaseAdmin, ["/admin/configuration/client"]),
    ];

    private static readonly (string Feature, string Method, RequiredRight Right, string[] Paths)[] Server =
    [
        ("Server-wide operations", "GET", RequiredRight.Operator, ["/operations/state"]),
        ("Server-wide operations", "POST", RequiredRight.Operator, ["/admin/operations/kill"]),
        ("Locking databases", "POST", RequiredRight.Operator, ["/admin/databases/set-lock"]),
        (
            "A cluster of several nodes",
            "POST",
            RequiredRight.Operator,
            [
                "/admin/databases/reorder",
                "/admin/databases/dynamic-node-distribution",
                "/admin/databases/promote",
                "/admin/databases/topology/modify",
                "/admin/databases/unused-ids",
            ]
        ),
        ("A cluster of several nodes", "PUT", RequiredRight.Operator, ["/admin/databases/node"]),
        ("Sharding", "PUT", RequiredRight.Operator, ["/admin/databases/shard", "/admin/databases/orchestrator"]),
        ("Sharding", "DELETE", RequiredRight.Operator, ["/admin/databases/orchestrator"]),
        ("Replication", "POST", RequiredRight.Operator, ["/admin/replication/conflicts/solver"]),
        ("Backup", "GET", RequiredRight.Operator, ["/periodic-backup/status"]),
        ("Backup", "POST", RequiredRight.Operator, ["/admin/backup-task/delay"]),
        ("Server-wide tasks", "GET", RequiredRight.Operator, ["/admin/configuration/server-wide/tasks"]),
        (
            "Server-wide tasks",
            "PUT",
            RequiredRight.Operator,
            ["/admin/configuration/server-wide/backup", "/admin/configuration/server-wide/external-replication"]
        ),
        ("Server-wide tasks", "POST", RequiredRight.Operator, ["/admin/configuration/server-wide/state"]),
        ("Server-wide tasks", "DELETE", RequiredRight.Operator, ["/admin/configuration/server-wide/task"]),
        ("Custom analyzers", "PUT", RequiredRight.Operator, ["/admin/analyzers"]),
        ("Custom analyzers", "DELETE", RequiredRight.Operator, ["/admin/analyzers"]),
        ("Custom sorters", "PUT", RequiredRight.Operator, ["/admin/sorters"]),
        ("Custom sorters", "DELETE", RequiredRight.Operator, ["/admin/sorters"]),
        ("Log configuration by request (see Logs.MinLevel)", "GET", RequiredRight.Operator, ["/admin/logs/configuration"]),
        ("Log configuration by request (see Logs.MinLevel)", "POST", RequiredRight.Operator, ["/admin/logs/configuration"]),
        ("The traffic watch", "POST", RequiredRight.Operator, ["/admin/traffic-watch/configuration"]),
        ("The console", "POST", RequiredRight.Administrator, ["/admin/console"]),
        ("Compaction while the server runs (see ./run compact)", "POST", RequiredRight.Operator, ["/admin/compact"]),
        ("Restoring a backup", "POST", RequiredRight.Operator, ["/admin/restore/database"]),
        ("A cluster of several nodes", "PUT", RequiredRight.Administrator, ["/admin/cluster/node"]),
        ("Data subscriptions", "GET", RequiredRight.Known, ["/info/remote-task/tcp"]),
        ("The client configuration", "PUT", RequiredRight.Operator, ["/admin/configuration/client"]),
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
            RequiredRight.DatabaseRead,
            request =>
            {
                request.Database();
                return request.SendEmptyAsync(StatusCodes.Status404NotFound);
            }
        );
        foreach (var (feature, method, right, paths) in Database)
        foreach (var path in paths)
            router.Database(method, path, right, Refusal(feature));
        foreach (var (feature, method, right, paths) in Server)
        foreach (var path in paths)
            router.Server(method, path, right, Refusal(feature));
    }

    private static RequestHandler Refusal(string feature) => _ => throw new FeatureNotSupportedException(feature);
}

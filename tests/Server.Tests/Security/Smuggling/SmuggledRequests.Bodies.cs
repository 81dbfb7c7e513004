using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>Bodies, numbers, and every route there is.</summary>
internal static partial class SmuggledRequests
{
    /// <summary>All members by which bodies of the protocol name databases.</summary>
    private const string NamingBody = """
        {"DatabaseName":"secret","DatabaseNames":["secret"],"Database":"secret","Databases":["secret"],"SourceDatabase":"secret","SourceDatabaseName":"secret","Name":"secret","Id":"hidden/1","Ids":["hidden/1"],"HardDelete":true,"Disable":true,"Permissions":{"secret":"Admin"},"BackupLocation":"/tmp/secret"}
        """;

    private static IEnumerable<SmuggledRequest> Bodies()
    {
        // What only an operator may send, however little of it names another database.
        foreach (var names in new[] { "\"secret\"", "\"db\",\"secret\"", "\"db\"", "\"SECRET\"" })
        {
            yield return Refused("body", "DELETE /admin/databases", body: $$"""{"DatabaseNames":[{{names}}],"HardDelete":true}""");
            yield return Refused("body", "POST /admin/databases/disable", body: $$"""{"DatabaseNames":[{{names}}]}""");
            yield return Refused("body", "POST /admin/databases/enable", body: $$"""{"DatabaseNames":[{{names}}]}""");
        }
        foreach (var line in new[] { "PUT /admin/certificates", "POST /admin/certificates", "POST /admin/certificates/edit" })
            yield return Refused(
                "body",
                line,
                body: """{"Name":"me","Thumbprint":"00","Permissions":{"secret":"Admin","db":"Admin"},"SecurityClearance":"ClusterAdmin"}"""
            );
        yield return Refused("body", "POST /admin/restore/database", body: """{"DatabaseName":"secret","BackupLocation":"/tmp"}""");
        yield return Refused("body", "POST /admin/compact", body: """{"DatabaseName":"secret"}""");
        yield return Refused("body", "POST /databases/db/admin/backup", body: NamingBody);

        // What an Admin of "db" may send, with another database in it.
        foreach (
            var (line, body) in new[]
            {
                (
                    "PUT /databases/db/admin/connection-strings",
                    """{"Type":"Raven","Name":"c","Database":"secret","TopologyDiscoveryUrls":[]}"""
                ),
                ("PUT /databases/db/admin/connection-strings", Webhook("https://localhost/databases/secret/docs", "")),
                ("PUT /databases/db/etl/connections", Webhook("https://localhost/databases/secret/docs", "")),
                ("PUT /databases/db/admin/connection-strings", Webhook("https://receiver.example/", "\"Secret\":\"${file:/tmp/secret}\"")),
                ("PUT /databases/db/admin/etl", Task("\"Database\":\"secret\",\"SourceDatabase\":\"secret\"")),
                ("PUT /databases/db/admin/etl", Task("\"ConnectionStringName\":\"hidden\"")),
                ("PUT /databases/db/admin/etl?id=1&database=secret", Task("\"TaskId\":1")),
                ("PUT /databases/db/etl/tasks", Task("\"Database\":\"secret\"")),
                ("POST /databases/db/etl/test", Trial("\"Database\":\"secret\",\"DocumentId\":\"hidden/1\"", "loadToX(this)")),
                ("POST /databases/db/etl/test", Trial("\"DocumentId\":\"own/1\"", "loadToX({ h: load('hidden/1') })")),
                ("POST /databases/db/etl/test", Trial("\"DocumentId\":\"/databases/secret/docs/hidden/1\"", "loadToX(this)")),
                ("POST /databases/db/etl/connection-test?name=hidden", "{}"),
                ("PUT /databases/db/admin/configuration/settings", """{"DatabaseName":"secret","DataDir":"/tmp/secret"}"""),
                ("POST /databases/db/admin/expiration/config?database=secret", """{"Disabled":true,"Database":"secret"}"""),
                ("POST /databases/db/admin/refresh/config?database=secret", """{"Disabled":true,"Database":"secret"}"""),
                (
                    "PUT /databases/db/admin/indexes",
                    """{"Indexes":[{"Name":"i","Maps":["from d in secret.docs select d"],"Database":"secret"}]}"""
                ),
                (
                    "PUT /databases/db/admin/indexes",
                    """{"Indexes":[{"Name":"i","Maps":["map('Own', o => ({ h: load('hidden/1', 'secret') }))"]}]}"""
                ),
                ("POST /databases/db/admin/indexes/stop?name=secret/HiddenIndex&database=secret", ""),
                ("POST /databases/db/admin/indexes/start?name=HiddenIndex", ""),
                ("POST /databases/db/smuggler/import?database=secret", NamingBody),
                ("DELETE /databases/db/admin/tasks?id=1&type=QueueEtl&database=secret", ""),
                ("POST /databases/db/admin/tasks/state?key=1&type=QueueEtl&disable=true&database=secret", ""),
                ("DELETE /databases/db/admin/connection-strings?connectionString=hidden&type=Queue", ""),
                ("POST /databases/db/etl/pause?id=1&database=secret", ""),
                ("POST /databases/db/etl/resume?id=1&database=secret", ""),
                ("POST /databases/db/etl/position?id=1&etag=0&database=secret", ""),
                ("RESET /databases/db/admin/etl?configurationName=hidden-task&transformationName=t&database=secret", ""),
                ("DELETE /databases/db/etl/dead-letters?all=true&task=1&database=secret", ""),
                ("POST /databases/db/etl/dead-letters/retry?all=true&waitSeconds=0&database=secret", ""),
            }
        )
        {
            yield return Harmless("body", line, DatabaseRight.Admin, body);
            yield return Refused("body", line.Replace("/databases/db/", "/databases/secret/", StringComparison.Ordinal), body: body);
        }

        static string Webhook(string url, string more) =>
            $$$"""{"Type":"Queue","Name":"c","BrokerType":"None","WebhookConnectionSettings":{"Url":"{{{url}}}"{{{(more.Length > 0 ? "," : "")}}}{{{more}}}}}""";

        static string Task(string more) =>
            $$"""{"EtlType":"Queue","BrokerType":"None","Name":"t","ConnectionStringName":"c","Disabled":true,{{more}},"Transforms":[{"Name":"t","Collections":["Own"],"Script":"loadToX(load('hidden/1'))"}]}""";

        static string Trial(string more, string script) =>
            $$"""{{{more}},"Configuration":{"EtlType":"Queue","BrokerType":"None","Name":"t","ConnectionStringName":"c","Transforms":[{"Name":"t","Collections":["Own"],"Script":"{{script}}"}]},"TransformationName":"t","Script":"{{script}}","Collection":"Own"}""";
    }

    /// <summary>Ids and numbers that belong to the other database: operations, queries, streams, snapshots, repeated requests.</summary>
    private static IEnumerable<SmuggledRequest> Numbers()
    {
        yield return Answered(404, "operation", "GET /databases/db/operations/state?id=76&database=secret");
        yield return Answered(404, "operation", "GET /databases/db/operations/state?id=75");
        yield return Answered(404, "operation", "POST /databases/db/operations/kill?id=76&database=secret", DatabaseRight.ReadWrite);
        yield return Answered(404, "operation", "POST /databases/db/operations/kill?id=75", DatabaseRight.ReadWrite);
        yield return Answered(200, "operation", "GET /databases/db/operations/next-operation-id?database=secret");
        yield return Answered(200, "running query", "GET /databases/db/debug/queries?database=secret");
        yield return Answered(400, "running query", "POST /databases/db/debug/queries/kill?id=1&database=secret", DatabaseRight.ReadWrite);
        yield return Answered(400, "running query", "POST /databases/db/debug/queries/kill?id=2", DatabaseRight.ReadWrite);
        foreach (var route in new[] { "events", "events/highest", "events/tagged", "snapshots", "snapshots/list" })
        {
            yield return Answered(
                route == "snapshots" ? 204 : 200,
                "event stream",
                $"GET /databases/db/{route}?stream=hidden-stream&tag=hidden&database=secret"
            );
            yield return Answered(412, "event stream", $"GET /databases/db/{route}?stream=hidden-stream&tag=hidden&databaseId={{id}}");
        }
        yield return Answered(200, "event stream", "GET /databases/db/events/all?database=secret");
        yield return Answered(200, "event stream", "GET /databases/db/events/streams?startsWith=hidden&database=secret");
        yield return Answered(412, "event stream", "GET /databases/db/events/live?stream=hidden-stream&databaseId={id}");
        yield return Answered(
            412,
            "event stream",
            "POST /databases/db/events?databaseId={id}",
            DatabaseRight.ReadWrite,
            """{"groups":[{"stream":"hidden-stream","first":1,"events":[{"payload":1}]}]}"""
        );
        yield return Harmless(
            "event stream",
            "POST /databases/db/events?database=secret",
            DatabaseRight.ReadWrite,
            """{"databaseId":"{id}","database":"secret","groups":[{"database":"secret","stream":"hidden-stream","first":1,"events":[{"payload":1}]}]}"""
        );
        yield return Harmless(
            "event stream",
            "DELETE /databases/db/events?stream=hidden-stream&to=9&database=secret",
            DatabaseRight.ReadWrite
        );
        yield return Answered(
            412,
            "event stream",
            "DELETE /databases/db/events?stream=hidden-stream&to=9&databaseId={id}",
            DatabaseRight.ReadWrite
        );
        yield return Answered(
            201,
            "snapshot",
            "PUT /databases/db/snapshots?stream=hidden-stream&number=7&database=secret",
            DatabaseRight.ReadWrite,
            "own"
        );
        yield return Harmless(
            "snapshot",
            "DELETE /databases/db/snapshots?stream=hidden-stream&minNumber=0&database=secret",
            DatabaseRight.ReadWrite
        );
        // An id of a request that an operator has sent for the other database.
        yield return Answered(
            200,
            "repeated request",
            "POST /databases/db/identity/next?name=own|&raft-request-id=operators-own-request",
            DatabaseRight.ReadWrite
        );
        yield return Harmless(
            "repeated request",
            "PUT /databases/db/admin/etl?raft-request-id=operators-own-request",
            DatabaseRight.Admin,
            """{"EtlType":"Queue","BrokerType":"None","Name":"t2","ConnectionStringName":"c"}"""
        );
    }

    /// <summary>Every route of the server: of the other database, of the client's own with another one named wherever a parameter, a header
    /// or a body may name one, and the server-wide ones likewise.</summary>
    public static IEnumerable<SmuggledRequest> ByRoute(Router router)
    {
        const string Names =
            "name=secret&database=secret&databaseName=secret&source=secret&to=secret&id=hidden/1&stream=hidden-stream&key=77"
            + "&connectionString=hidden&taskName=hidden-task&field=Text&number=1&minNumber=0&etag=0&value=1&databaseId={id}";
        const string Naming = "Database: secret\r\nX-Original-URL: /databases/secret/docs\r\n";
        foreach (var route in router.DatabaseRoutes)
        foreach (var method in route.All)
        {
            yield return Refused("any route", $"{method.Method} /databases/secret{route.Path}?{Names}", body: NamingBody, headers: Naming);
            yield return method.Right == RequiredRight.Operator
                ? Refused("any route", $"{method.Method} /databases/db{route.Path}?{Names}", body: NamingBody, headers: Naming)
                : Harmless("any route", $"{method.Method} /databases/db{route.Path}?{Names}", RightOf(method), NamingBody) with
                {
                    Headers = Naming,
                };
        }
        foreach (var route in router.ServerRoutes)
        foreach (var method in route.All)
            yield return method.Right >= RequiredRight.Operator
                ? Refused("any route", $"{method.Method} {route.Path}?{Names}", body: NamingBody, headers: Naming)
                : Harmless("any route", $"{method.Method} {route.Path}?{Names}", body: NamingBody) with
                {
                    Headers = Naming,
                };
    }

    private static DatabaseRight RightOf(RouteMethod method) =>
        method.Right switch
        {
            RequiredRight.DatabaseRead => DatabaseRight.Read,
            RequiredRight.DatabaseReadWrite => DatabaseRight.ReadWrite,
            _ => DatabaseRight.Admin,
        };
}

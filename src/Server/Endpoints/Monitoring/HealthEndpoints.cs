using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>
/// For whoever watches the process: alive means that it answers, ready that it takes work. A database that could not be opened
/// does not make the server unready
/// for the others; it is named, with the reason, and so are tasks that have stopped. A server with certificates tells the status
/// alone, since anyone may ask, and finds it out once a second at most: names and reasons are in <c>GET /alerts</c>.
/// </summary>
internal static class HealthEndpoints
{
    public static void Map(Router router) =>
        router
            .Server("GET", "/health/live", RequiredRight.Anyone, Live)
            .Server("HEAD", "/health/live", RequiredRight.Anyone, Live)
            .Server("GET", "/health/ready", RequiredRight.Anyone, Ready)
            .Server("HEAD", "/health/ready", RequiredRight.Anyone, Ready)
            .Database(
                "GET",
                "/healthcheck",
                RequiredRight.DatabaseRead,
                request =>
                {
                    request.Database();
                    return request.SendEmptyAsync(StatusCodes.Status204NoContent);
                }
            );

    private static Task Live(RequestContext request) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Status", "Live");
            json.WriteEndObject();
        });

    private static IEnumerable<(string Database, EtlTaskSummary Task)> StoppedTasks(Jackdaw.Documents.Databases databases) =>
        databases.List().SelectMany(record => StoppedTasks(databases, record.Name).Select(task => (record.Name, task)));

    private static List<EtlTaskSummary> StoppedTasks(Jackdaw.Documents.Databases databases, string name)
    {
        try
        {
            var tasks = databases.TryGetOpen(name)?.Attached<EtlTasks>()?.Summaries() ?? [];
            return [.. tasks.Where(task => task.State is EtlTaskState.Stopped or EtlTaskState.Fenced or EtlTaskState.Faulted)];
        }
        catch (DatabaseUnavailableException)
        {
            // Disabled or deleted this moment: it has no tasks that could have stopped.
            return [];
        }
    }

    private static string Status(bool isReady, bool isDegraded) =>
        !isReady ? "NotReady"
        : isDegraded ? "Degraded"
        : "Ready";

    private static int StatusCode(bool isReady) => isReady ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;

    private static Task Ready(RequestContext request) => request.Server.Gate.IsUnsecured ? ReadyInFull(request) : ReadyToAnyone(request);

    private static Task ReadyToAnyone(RequestContext request)
    {
        var server = request.Server;
        var ready = server.IsReady;
        var isDegraded = server.Readiness.IsDegraded(() => StoppedTasks(server.Databases).Any());
        return request.SendJsonAsync(
            json =>
            {
                json.WriteStartObject();
                json.WriteString("Status", Status(ready, isDegraded));
                json.WriteEndObject();
            },
            StatusCode(ready)
        );
    }

    private static Task ReadyInFull(RequestContext request)
    {
        var ready = request.Server.IsReady;
        var stopped = StoppedTasks(request.Server.Databases).ToList();
        return request.SendJsonAsync(
            json =>
            {
                json.WriteStartObject();
                json.WriteString("Status", Status(ready, stopped.Count > 0));
                json.WriteNumber("Opening", request.Server.Databases.ToOpen);
                json.WriteStartArray("NotOpened");
                foreach (var record in request.Server.Databases.List())
                    if (request.Server.Databases.LoadFailure(record.Name) is { } failure)
                    {
                        json.WriteStartObject();
                        json.WriteString("Name", record.Name);
                        json.WriteString("Reason", failure.Message);
                        json.WriteEndObject();
                    }
                json.WriteEndArray();
                json.WriteStartArray("StoppedTasks");
                foreach (var (database, task) in stopped)
                {
                    json.WriteStartObject();
                    json.WriteString("Database", database);
                    json.WriteString("Name", task.Name);
                    json.WriteString("Reason", task.Reason);
                    json.WriteEndObject();
                }
                json.WriteEndArray();
                json.WriteEndObject();
            },
            StatusCode(ready)
        );
    }
}

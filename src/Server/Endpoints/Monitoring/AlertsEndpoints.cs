using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Endpoints.Etl;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What an operator should look at: in one database, or in the server and in every database that the client may read.</summary>
internal static class AlertsEndpoints
{
    /// <summary>The most alerts of one answer; it tells how many more there are.</summary>
    private const int MaxAlerts = 1024;

    public static void Map(Router router) =>
        router.Server("GET", "/alerts", RequiredRight.Known, OfServer).Database("GET", "/alerts", RequiredRight.DatabaseRead, OfDatabase);

    private static Task OfDatabase(RequestContext request)
    {
        var database = request.Database();
        // A database whose tasks are not there yet answers as it does to requests for them.
        request.EtlTasks();
        var alerts = DatabaseAlerts.Of(request.Server, database);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Alerts");
            foreach (var alert in alerts)
            {
                json.WriteStartObject();
                Write(json, alert);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task OfServer(RequestContext request)
    {
        var alerts = new List<(string? Database, Alert Alert)>();
        if (request.Access.IsOperator)
            alerts.AddRange(request.Server.Alerts.All.Select(alert => ((string?)null, alert)));
        foreach (var record in request.Server.Databases.List())
            if (request.Access.May(record.Name, DatabaseRight.Read))
                alerts.AddRange(Of(request.Server, record.Name).Select(alert => ((string?)record.Name, alert)));
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Alerts");
            foreach (var (database, alert) in alerts.Take(MaxAlerts))
            {
                json.WriteStartObject();
                json.WriteString("Database", database);
                Write(json, alert);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteNumber("Omitted", Math.Max(0, alerts.Count - MaxAlerts));
            json.WriteEndObject();
        });
    }

    /// <summary>A database that cannot be opened has one alert, which says why; one that nobody has opened yet has none.</summary>
    private static List<Alert> Of(ServerState server, string name)
    {
        if (server.Databases.LoadFailure(name) is { } failure)
            return
            [
                new Alert(
                    Alert.Error,
                    "storage",
                    "The database cannot be opened",
                    failure.Message,
                    "Remove the cause, then enable the database (POST /admin/databases/enable), which tries again. "
                        + "./run check verifies the folder of a stopped server.",
                    null
                ),
            ];
        try
        {
            return server.Databases.TryGetOpen(name) is { } database ? DatabaseAlerts.Of(server, database) : [];
        }
        catch (DatabaseUnavailableException)
        {
            // Disabled or deleted this moment.
            return [];
        }
    }

    private static void Write(Utf8JsonWriter json, Alert alert)
    {
        json.WriteString("Severity", alert.Severity);
        json.WriteString("Source", alert.Source);
        json.WriteString("Title", alert.Title);
        json.WriteString("Message", alert.Message);
        json.WriteString("Advice", alert.Advice);
        if (alert.Since is { } since)
            json.WriteString("Since", since.UtcDateTime);
        else
            json.WriteNull("Since");
    }
}

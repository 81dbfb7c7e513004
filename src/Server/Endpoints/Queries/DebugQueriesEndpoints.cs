using System.Text.Json;
using Jackdaw.Documents.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The queries that run, those that were slow of late, and ending one of them.</summary>
internal static class DebugQueriesEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/debug/queries", RequiredRight.DatabaseRead, List)
            .Database("POST", "/debug/queries/kill", RequiredRight.DatabaseReadWrite, Kill);

    private static Task List(RequestContext request)
    {
        var database = request.Database();
        var queries = request.Server.Queries;
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Running");
            foreach (var query in queries.Of(database))
                Write(json, query.Id, query.Text, query.IndexName, query.StartedAt, query.Duration);
            json.WriteEndArray();
            json.WriteStartArray("Slow");
            foreach (var query in queries.SlowOf(database))
                Write(json, query.Id, query.Text, query.IndexName, query.StartedAt, query.Duration);
            json.WriteEndArray();
            json.WriteNumber("SlowFromInMs", (long)RunningQueries.SlowFrom.TotalMilliseconds);
            json.WriteEndObject();
        });
    }

    private static Task Kill(RequestContext request)
    {
        var database = request.Database();
        var id = request.Query.NonNegative("id", -1);
        if (!request.Server.Queries.Kill(database, id))
            throw new BadRequestException($"No query with the id {id} is running in the database '{database.Name}'.");
        return request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static void Write(Utf8JsonWriter json, long id, string text, string index, DateTime startedAt, TimeSpan duration)
    {
        json.WriteStartObject();
        json.WriteNumber("Id", id);
        json.WriteString("Query", text);
        json.WriteString("IndexName", index);
        json.WriteString("StartedAt", ProtocolDate.ToText(startedAt.Ticks, withZ: true));
        json.WriteNumber("DurationInMs", (long)duration.TotalMilliseconds);
        json.WriteEndObject();
    }
}

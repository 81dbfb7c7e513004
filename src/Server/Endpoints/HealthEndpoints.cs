using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints;

/// <summary>
/// For whoever watches the process: alive means that it answers, ready that it takes work. A database that could not be opened does not make the server unready
/// for the others; it is named, with the reason.
/// </summary>
internal static class HealthEndpoints
{
    public static void Map(Router router) => router
        .Server("GET", "/health/live", request => request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Status", "Live");
            json.WriteEndObject();
        }))
        .Server("GET", "/health/ready", Ready)
        .Database("GET", "/healthcheck", request =>
        {
            request.Database();
            return request.SendEmptyAsync(StatusCodes.Status204NoContent);
        });

    private static Task Ready(RequestContext request)
    {
        var ready = request.Server.IsReady;
        return request.SendJsonAsync(
            json =>
            {
                json.WriteStartObject();
                json.WriteString("Status", ready ? "Ready" : "NotReady");
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
                json.WriteEndObject();
            },
            ready ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable);
    }
}

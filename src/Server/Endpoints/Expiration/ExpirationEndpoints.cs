using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Expiring;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Expiration;

/// <summary>Documents that expire or are refreshed: configuring that, and what became of it.</summary>
internal static class ExpirationEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("POST", "/admin/expiration/config", RequiredRight.DatabaseAdmin, request => Put(request, DocumentDateKind.Expires))
            .Database("POST", "/admin/refresh/config", RequiredRight.DatabaseAdmin, request => Put(request, DocumentDateKind.Refresh))
            .Database("GET", "/debug/expiration", RequiredRight.DatabaseRead, GetStatistics);

    private static async Task Put(RequestContext request, DocumentDateKind kind)
    {
        var database = request.Database();
        using var body = await RequestBody.ReadAsync(request);
        DueDocumentsSettings settings;
        using (var given = JsonBody.Parse(body.Bytes))
            settings = ExpirationConfiguration.Read(given.RootElement, kind);
        await database.ConfigureDueDocumentsAsync(kind, settings);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", request.RecordEtag());
            json.WriteEndObject();
        });
    }

    private static Task GetStatistics(RequestContext request)
    {
        var database = request.Database();
        var expiring = database.DueDocuments(DocumentDateKind.Expires);
        var refreshing = database.DueDocuments(DocumentDateKind.Refresh);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            Write(json, expiring, DocumentDateKind.Expires);
            Write(json, refreshing, DocumentDateKind.Refresh);
            json.WriteEndObject();
        });
    }

    private static void Write(Utf8JsonWriter json, DueDocumentsStatistics statistics, DocumentDateKind kind)
    {
        json.WriteStartObject(ExpirationConfiguration.Member(kind));
        json.WritePropertyName("Configuration");
        ExpirationConfiguration.Write(json, statistics.Settings, kind);
        json.WriteNumber("Processed", statistics.Done);
        json.WriteNumber("Waiting", statistics.Waiting);
        if (statistics.NextDue is { } next)
            json.WriteString("NextDue", Jackdaw.Documents.Json.ProtocolDate.ToText(next.Ticks, withZ: true));
        else
            json.WriteNull("NextDue");
        json.WriteNumber("OverdueInSec", Math.Round(statistics.Overdue.TotalSeconds, 3));
        json.WriteNumber("Passes", statistics.Passes);
        json.WriteNumber("Skipped", statistics.Skipped);
        json.WriteEndObject();
    }
}

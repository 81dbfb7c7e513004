using System.Runtime.InteropServices;
using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Topology;

/// <summary>What clients ask before anything else: which nodes there are. There is one, and it leads.</summary>
internal static class TopologyEndpoints
{
    public static void Map(Router router) =>
        router
            .Server("GET", "/topology", RequiredRight.Known, Topology)
            .Server("GET", "/cluster/topology", RequiredRight.Known, ClusterTopology)
            .Server("GET", "/cluster/node-info", RequiredRight.Known, NodeInformation)
            .Server("GET", "/info/tcp", RequiredRight.Known, TcpAddress)
            .Database(
                "GET",
                "/info/tcp",
                RequiredRight.DatabaseRead,
                request =>
                {
                    request.Database();
                    return TcpAddress(request);
                }
            );

    private static async Task Topology(RequestContext request)
    {
        var name = request.Query.Required("name");
        request.RequireDatabase(name, DatabaseRight.Read);
        var record = request.Server.Databases.Record(name) ?? throw new DatabaseNotInTopologyException(name);
        var url = await request.Server.Url;
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("Etag", RequestContextExtensions.TopologyEtag);
            json.WriteStartArray("Nodes");
            json.WriteStartObject();
            json.WriteString("Url", url);
            json.WriteString("ClusterTag", request.Server.NodeTag);
            json.WriteString("Database", record.Name);
            json.WriteString("ServerRole", "Member");
            json.WriteEndObject();
            json.WriteEndArray();
            json.WriteStartArray("Promotables");
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task ClusterTopology(RequestContext request)
    {
        var url = await request.Server.Url;
        var tag = request.Server.NodeTag;
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartObject("Topology");
            json.WriteString("TopologyId", request.Server.ServerId);
            WriteNodes(json, "AllNodes", tag, url);
            WriteNodes(json, "Members", tag, url);
            WriteNodes(json, "Promotables", null, url);
            WriteNodes(json, "Watchers", null, url);
            WriteNodes(json, "Witnesses", null, url);
            json.WriteString("LastNodeId", tag);
            json.WriteNumber("Etag", RequestContextExtensions.TopologyEtag);
            json.WriteEndObject();
            json.WriteNumber("Etag", RequestContextExtensions.TopologyEtag);
            json.WriteString("Leader", tag);
            json.WriteNumber("LeaderShipDuration", (long)(DateTime.UtcNow - request.Server.StartedAt).TotalMilliseconds);
            json.WriteString("CurrentState", "Leader");
            json.WriteString("NodeTag", tag);
            json.WriteNumber("CurrentTerm", 1);
            json.WriteStartObject("NodeLicenseDetails");
            json.WriteEndObject();
            json.WriteString("LastStateChangeReason", "The only node leads.");
            json.WriteStartObject("Status");
            json.WriteEndObject();
            json.WriteEndObject();
        });
    }

    private static Task NodeInformation(RequestContext request) =>
        request.SendJsonAsync(json =>
        {
            var memory = Math.Round(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / (1024.0 * 1024 * 1024), 2);
            json.WriteStartObject();
            json.WriteString("NodeTag", request.Server.NodeTag);
            json.WriteString("TopologyId", request.Server.ServerId);
            WriteCertificate(json, request);
            json.WriteString("ClusterStatus", "Leader, the only node");
            json.WriteNumber("NumberOfCores", Environment.ProcessorCount);
            json.WriteNumber("InstalledMemoryInGb", memory);
            json.WriteNumber("UsableMemoryInGb", memory);
            json.WriteStartObject("BuildInfo");
            json.WriteString("ProductVersion", ProtocolVersion.Product);
            json.WriteNumber("BuildVersion", ProtocolVersion.Build);
            json.WriteString("CommitHash", ProductVersion.Commit);
            json.WriteString("FullVersion", ProtocolVersion.Full);
            json.WriteEndObject();
            json.WriteStartObject("OsInfo");
            json.WriteString("Type", "Linux");
            json.WriteString("FullName", RuntimeInformation.OSDescription);
            json.WriteEndObject();
            json.WriteString("ServerId", request.Server.ServerId);
            json.WriteString("ServerRole", "Member");
            json.WriteString("CurrentState", "Leader");
            json.WriteBoolean("HasFixedPort", request.Server.Configuration.ServerUrl.Port != 0);
            json.WriteNumber("ServerSchemaVersion", 1);
            json.WriteEndObject();
        });

    private static Task TcpAddress(RequestContext request)
    {
        var url = request.Server.Configuration.TcpUrl;
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Url", url is null ? null : $"tcp://{url.Host}:{url.Port}");
            WriteCertificate(json, request);
            json.WriteStartArray("Urls");
            json.WriteEndArray();
            json.WriteString("NodeTag", request.Server.NodeTag);
            json.WriteString("ServerId", request.Server.ServerId);
            json.WriteNumber("Port", url?.Port ?? 0);
            json.WriteEndObject();
        });
    }

    /// <summary>The public part of the server's certificate, in base64; null for plain http.</summary>
    private static void WriteCertificate(Utf8JsonWriter json, RequestContext request)
    {
        if (request.Server.Certificate is { } certificate)
            json.WriteBase64String("Certificate", certificate.Current.RawDataMemory.Span);
        else
            json.WriteNull("Certificate");
    }

    private static void WriteNodes(Utf8JsonWriter json, string property, string? tag, string url)
    {
        json.WriteStartObject(property);
        if (tag is not null)
            json.WriteString(tag, url);
        json.WriteEndObject();
    }
}

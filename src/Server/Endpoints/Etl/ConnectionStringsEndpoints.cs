using Jackdaw.Etl;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>Where tasks connect to. Secrets go in and never come out.</summary>
internal static class ConnectionStringsEndpoints
{
    private static readonly string[] OtherKinds =
    [
        "RavenConnectionStrings",
        "SqlConnectionStrings",
        "OlapConnectionStrings",
        "ElasticSearchConnectionStrings",
        "SnowflakeConnectionStrings",
        "AiConnectionStrings",
    ];

    public static void Map(Router router) =>
        router
            .Database("PUT", "/admin/connection-strings", RequiredRight.DatabaseAdmin, Put)
            .Database("GET", "/admin/connection-strings", RequiredRight.DatabaseAdmin, Get)
            .Database("DELETE", "/admin/connection-strings", RequiredRight.DatabaseAdmin, Delete);

    private static async Task Put(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var tasks = request.EtlTasks();
        var warning = await request.RunOnceAsync(
            "PUT connection string",
            () => request.LendAsync(lends => tasks.PutConnectionAsync(body.Bytes, lends))
        );
        await request.SendRaftIndexAsync(warning);
    }

    private static Task Get(RequestContext request)
    {
        var name = request.Query["connectionStringName"];
        var type = request.Query["type"];
        var found = request
            .EtlTasks()
            .Connections()
            .Where(connection => string.IsNullOrEmpty(name) || connection.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            .Where(connection => type is null or "" or "None" || connection.Type.Equals(type, StringComparison.OrdinalIgnoreCase))
            .ToArray();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartObject("QueueConnectionStrings");
            foreach (var connection in found)
            {
                json.WritePropertyName(connection.Name);
                connection.Masked().WriteTo(json);
            }
            json.WriteEndObject();
            foreach (var kind in OtherKinds)
            {
                json.WriteStartObject(kind);
                json.WriteEndObject();
            }
            json.WriteEndObject();
        });
    }

    private static async Task Delete(RequestContext request)
    {
        var name = request.Query.Required("connectionString");
        var tasks = request.EtlTasks();
        if (!await request.RunOnceAsync("DELETE connection string", () => tasks.RemoveConnectionAsync(name)))
            throw new BadRequestException($"There is no connection string named '{name}'.");
        await request.SendRaftIndexAsync();
    }
}

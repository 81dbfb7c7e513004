using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Topology;

/// <summary>Which version of the protocol, and of this product, answers.</summary>
internal static class BuildVersionEndpoints
{
    public static void Map(Router router) =>
        router.Server(
            "GET",
            "/build/version",
            RequiredRight.Known,
            request =>
                request.SendJsonAsync(json =>
                {
                    json.WriteStartObject();
                    json.WriteString("ProductVersion", ProtocolVersion.Product);
                    json.WriteNumber("BuildVersion", ProtocolVersion.Build);
                    json.WriteString("CommitHash", ProductVersion.Commit);
                    json.WriteString("FullVersion", ProtocolVersion.Full);
                    json.WriteString("AssemblyVersion", ProductVersion.Number);
                    json.WriteString("Product", "Jackdaw");
                    json.WriteEndObject();
                })
        );
}

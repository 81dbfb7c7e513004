using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Topology;

/// <summary>The configuration that a server may give its clients: none is kept, so that they use their own.</summary>
internal static class ConfigurationEndpoints
{
    public static void Map(Router router) =>
        router
            .Server("GET", "/configuration/client", Client)
            .Database(
                "GET",
                "/configuration/client",
                request =>
                {
                    request.Database();
                    return Client(request);
                }
            );

    private static Task Client(RequestContext request) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("Etag", RequestContextExtensions.ClientConfigurationEtag);
            json.WriteNull("Configuration");
            json.WriteEndObject();
        });
}

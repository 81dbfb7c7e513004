using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Topology;

/// <summary>The configuration that a server may give its clients: none is kept, so that they use their own.</summary>
internal static class ConfigurationEndpoints
{
    public static void Map(Router router) =>
        router
            .Server("GET", "/configuration/client", RequiredRight.Known, Client)
            .Server("GET", "/admin/traffic-watch/configuration", RequiredRight.Operator, TrafficWatch)
            .Database(
                "GET",
                "/configuration/client",
                RequiredRight.DatabaseRead,
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

    /// <summary>Requests are not watched: this is what a server says where the watch is off.</summary>
    private static Task TrafficWatch(RequestContext request) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("TrafficWatchMode", "Off");
            json.WriteNull("Databases");
            json.WriteNull("StatusCodes");
            json.WriteNumber("MinimumResponseSizeInBytes", 0);
            json.WriteNumber("MinimumRequestSizeInBytes", 0);
            json.WriteNumber("MinimumDurationInMs", 0);
            json.WriteNull("HttpMethods");
            json.WriteNull("ChangeTypes");
            json.WriteNull("CertificateThumbprints");
            json.WriteBoolean("Persist", false);
            json.WriteEndObject();
        });
}

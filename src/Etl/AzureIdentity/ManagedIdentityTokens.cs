using System.Net;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>Tokens of the identity that Azure gives to the machine or to the App Service, Function or Container App that this
/// process runs in.</summary>
internal sealed class ManagedIdentityTokens(ManagedIdentityEndpoint endpoint, string? clientId, TimeProvider clock)
    : AccessTokens(clock, usesProxy: false)
{
    protected override string EndpointName => $"managed identity endpoint {endpoint.Address.Authority}";

    protected override HttpRequestMessage Request(string resource)
    {
        string client = clientId is null ? "" : $"&client_id={Uri.EscapeDataString(clientId)}";
        var request = new HttpRequestMessage(
            HttpMethod.Get,
            $"{endpoint.Address.GetLeftPart(UriPartial.Path)}?api-version={endpoint.ApiVersion}"
                + $"&resource={Uri.EscapeDataString(resource)}{client}"
        );
        request.Headers.TryAddWithoutValidation(endpoint.HeaderName, endpoint.HeaderValue);
        return request;
    }

    /// <summary>A machine's endpoint answers 404 and 410 while it is being updated, for about a minute.</summary>
    protected override SinkFault FaultOf(HttpStatusCode status) =>
        status is HttpStatusCode.NotFound or HttpStatusCode.Gone or HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests
        || (int)status >= 500
            ? SinkFault.Sink
            : SinkFault.Task;
}

using System.Net;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>Tokens of an application registration: OAuth 2.0 client credentials (RFC 6749, 4.4) at Entra ID's token endpoint.</summary>
internal sealed class ClientSecretTokens(EntraIdSettings settings, TimeProvider clock, HttpTargets.TargetAddresses? targets = null)
    : AccessTokens(clock, usesProxy: true, targets ?? new HttpTargets.TargetAddresses(RefusesPrivate: false))
{
    protected override string EndpointName => $"token endpoint of {new Uri(settings.AuthorityHost).Authority}";

    protected override HttpRequestMessage Request(string resource) =>
        new(HttpMethod.Post, $"{settings.AuthorityHost.TrimEnd('/')}/{Uri.EscapeDataString(settings.TenantId)}/oauth2/v2.0/token")
        {
            Content = new FormUrlEncodedContent(
                new Dictionary<string, string>
                {
                    ["grant_type"] = "client_credentials",
                    ["client_id"] = settings.ClientId,
                    ["client_secret"] = settings.ClientSecret,
                    ["scope"] = resource + "/.default",
                }
            ),
        };

    protected override SinkFault FaultOf(HttpStatusCode status) =>
        status is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests || (int)status >= 500 ? SinkFault.Sink : SinkFault.Task;
}

using System.Net;
using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Etl.AzureIdentity;
using Jackdaw.Etl.HttpTargets;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>Tokens of an OpenID provider: OAuth 2.0 client credentials (RFC 6749, 4.4), asked for as the native client asks.</summary>
internal sealed class OidcTokens(OidcSettings settings, TimeProvider clock, TargetAddresses targets)
    : AccessTokens(clock, usesProxy: true, targets, Trusting(settings.Authorities))
{
    protected override string EndpointName => $"token endpoint of {settings.Endpoint.Authority}";

    protected override HttpRequestMessage Request(string resource)
    {
        var members = new Dictionary<string, string> { ["grant_type"] = "client_credentials" };
        if (settings.RequestedScope is { } scope)
            members["scope"] = scope;
        var request = new HttpRequestMessage(HttpMethod.Post, settings.Endpoint) { Content = new FormUrlEncodedContent(members) };
        string client = Convert.ToBase64String(Encoding.UTF8.GetBytes($"{settings.ClientId}:{settings.ClientSecret}"));
        request.Headers.Authorization = new AuthenticationHeaderValue("Basic", client);
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/json"));
        return request;
    }

    protected override SinkFault FaultOf(HttpStatusCode status) =>
        status is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests || (int)status >= 500 ? SinkFault.Sink : SinkFault.Task;

    private static SslClientAuthenticationOptions? Trusting(X509Certificate2Collection? authorities)
    {
        if (authorities is null)
            return null;
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.AddRange(authorities);
        return new SslClientAuthenticationOptions { CertificateChainPolicy = policy };
    }
}

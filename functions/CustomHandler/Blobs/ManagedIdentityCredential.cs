using System.Globalization;
using System.Text.Json;
using Azure.Core;
using Jackdaw.Functions.CustomHandler.Configuration;

namespace Jackdaw.Functions.CustomHandler.Blobs;

/// <summary>
/// Tokens of the identity that Azure gives to the function app, from the endpoint in <c>IDENTITY_ENDPOINT</c>. Azure's client library keeps
/// a token until shortly before it ends. Documentation: "How to use managed identities for App Service and Azure Functions", section "REST
/// endpoint reference".
/// </summary>
/// <param name="endpoint">Where tokens are to be had.</param>
/// <param name="header">Says that the request does not come through a proxy from elsewhere.</param>
/// <param name="clientId">Of an identity that somebody assigned; null: the app's own.</param>
internal sealed class ManagedIdentityCredential(Uri endpoint, string header, string? clientId) : TokenCredential
{
    private const string Version = "2019-08-01";
    private const string DefaultScope = "/.default";
    private const int MaxAnswerBytes = 64 << 10;

    /// <summary>Of the process, as the endpoint is.</summary>
    private static readonly HttpClient s_http = new(
        new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseProxy = false,
            UseCookies = false,
        }
    )
    {
        Timeout = AppLimits.StorageTimeout,
        MaxResponseContentBufferSize = MaxAnswerBytes,
    };

    /// <summary>Takes the endpoint from the environment. Throws <see cref="SettingException"/>.</summary>
    public static ManagedIdentityCredential Find(string? clientId)
    {
        var (address, secret) = (
            Environment.GetEnvironmentVariable("IDENTITY_ENDPOINT"),
            Environment.GetEnvironmentVariable("IDENTITY_HEADER")
        );
        return
            Uri.TryCreate(address, UriKind.Absolute, out var endpoint)
            && endpoint.Scheme is "http" or "https"
            && !string.IsNullOrEmpty(secret)
            ? new ManagedIdentityCredential(endpoint, secret, clientId)
            : throw new SettingException(
                "The setting 'ClaimChecks__blobServiceUri' needs the app's identity, and there is no IDENTITY_ENDPOINT here: on a machine "
                    + "outside of Azure set 'ClaimChecks' to a connection string instead."
            );
    }

    /// <inheritdoc/>
    public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
        GetTokenAsync(requestContext, cancellationToken).AsTask().GetAwaiter().GetResult();

    /// <summary>Asks for a token. Throws <see cref="IOException"/> when there is none, which makes the message wait.</summary>
    public override async ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken)
    {
        var scope = requestContext.Scopes.Single();
        var resource = scope.EndsWith(DefaultScope, StringComparison.Ordinal) ? scope[..^DefaultScope.Length] : scope;
        var client = clientId is null ? "" : $"&client_id={Uri.EscapeDataString(clientId)}";
        using var request = new HttpRequestMessage(
            HttpMethod.Get,
            $"{endpoint.GetLeftPart(UriPartial.Path)}?api-version={Version}&resource={Uri.EscapeDataString(resource)}{client}"
        );
        request.Headers.TryAddWithoutValidation("X-IDENTITY-HEADER", header);
        using var answer = await s_http.SendAsync(request, cancellationToken);
        if (!answer.IsSuccessStatusCode)
            throw new IOException(
                $"The endpoint of the app's identity answered {(int)answer.StatusCode}: is the identity assigned to the app?"
            );
        return Token(await answer.Content.ReadAsByteArrayAsync(cancellationToken));
    }

    /// <summary><c>expires_on</c> is a number of seconds since 1970, as a text.</summary>
    private static AccessToken Token(byte[] answer)
    {
        try
        {
            using var json = JsonDocument.Parse(answer);
            var ends = json.RootElement.GetProperty("expires_on");
            var seconds =
                ends.ValueKind == JsonValueKind.Number
                    ? ends.GetInt64()
                    : long.Parse(ends.GetString()!, NumberStyles.None, CultureInfo.InvariantCulture);
            return new AccessToken(json.RootElement.GetProperty("access_token").GetString()!, DateTimeOffset.FromUnixTimeSeconds(seconds));
        }
        catch (Exception e)
            when (e
                    is JsonException
                        or KeyNotFoundException
                        or InvalidOperationException
                        or FormatException
                        or OverflowException
                        or ArgumentException
            )
        {
            throw new IOException("The endpoint of the app's identity answered something that is no token.", e);
        }
    }
}

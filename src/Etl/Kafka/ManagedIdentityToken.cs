using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>A bearer token of a managed identity.</summary>
/// <param name="Value">Secret.</param>
/// <param name="ExpiresAt">When brokers stop accepting it.</param>
/// <param name="Principal">Whom it stands for, as the client library wants to be told; brokers look into the token.</param>
internal sealed record ManagedIdentityToken(string Value, DateTimeOffset ExpiresAt, string Principal)
{
    private const int MaxAnswerBytes = 64 << 10;

    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(10);
    private static readonly HttpClient s_client = new(
        new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = false,
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        }
    )
    {
        Timeout = s_timeout,
        MaxResponseContentBufferSize = MaxAnswerBytes,
    };

    /// <summary>Asks the endpoint. Throws <see cref="SinkException"/>: of the task where the endpoint refuses, of the sink where
    /// it cannot be reached or is busy.</summary>
    public static ManagedIdentityToken Fetch(ManagedIdentitySettings settings)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Address(settings));
        if (settings.HeaderSecret is { } secret)
            request.Headers.Add("X-IDENTITY-HEADER", secret);
        else
            request.Headers.Add("Metadata", "true");
        try
        {
            using var response = s_client.Send(request);
            using var body = new MemoryStream();
            response.Content.ReadAsStream().CopyTo(body);
            int status = (int)response.StatusCode;
            if (status is >= 200 and < 300)
                return Read(body.ToArray(), settings);
            // 404 and 410: the endpoint is being set up or moved, says its documentation; 429 and 5xx: it is busy.
            var fault = status is 404 or 408 or 410 or 429 or >= 500 ? SinkFault.Sink : SinkFault.Task;
            throw new SinkException(
                fault,
                $"The endpoint of the managed identity at {settings.Endpoint.Authority} answered {status}: {Beginning(body.ToArray())}"
            );
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException or IOException)
        {
            throw new SinkException(
                SinkFault.Sink,
                $"The endpoint of the managed identity at {settings.Endpoint.Authority} cannot be reached: {e.Message}",
                e
            );
        }
    }

    private static Uri Address(ManagedIdentitySettings settings)
    {
        string version = settings.HeaderSecret is null ? "2018-02-01" : "2019-08-01";
        string query = $"api-version={version}&resource={Uri.EscapeDataString(settings.Resource)}";
        if (settings.ClientId is { } client)
            query += $"&client_id={Uri.EscapeDataString(client)}";
        return new UriBuilder(settings.Endpoint) { Query = query }.Uri;
    }

    private static ManagedIdentityToken Read(byte[] json, ManagedIdentitySettings settings)
    {
        try
        {
            using var answer = JsonDocument.Parse(json);
            string value = answer.RootElement.GetProperty("access_token").GetString()!;
            // A number or a text of one, in seconds of the epoch, as the endpoint pleases.
            string expires = answer.RootElement.GetProperty("expires_on").ToString();
            return new ManagedIdentityToken(
                value,
                DateTimeOffset.FromUnixTimeSeconds(long.Parse(expires, CultureInfo.InvariantCulture)),
                settings.ClientId ?? "managed-identity"
            );
        }
        catch (Exception e)
            when (e
                    is JsonException
                        or KeyNotFoundException
                        or InvalidOperationException
                        or FormatException
                        or OverflowException
                        or ArgumentOutOfRangeException
            )
        {
            // The text is not shown: it may hold a token.
            throw new SinkException(
                SinkFault.Task,
                $"What the endpoint at {settings.Endpoint.Authority} answered is no token of a managed identity: {e.Message}",
                e
            );
        }
    }

    private static string Beginning(byte[] body) =>
        Encoding.UTF8.GetString(body, 0, Math.Min(body.Length, 300)).ReplaceLineEndings(" ").Trim();

    /// <summary>Without the token.</summary>
    public override string ToString() => $"token of {Principal} until {ExpiresAt:O}";
}

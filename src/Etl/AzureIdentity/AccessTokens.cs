using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>
/// Access tokens of Entra ID from an HTTP endpoint. A token is kept until shortly before it ends, and callers at the same time
/// ask for one together. Thread-safe.
/// </summary>
internal abstract class AccessTokens : IDisposable
{
    /// <summary>A kept token is handed out while it has longer to live than this.</summary>
    private static readonly TimeSpan s_margin = TimeSpan.FromMinutes(5);

    /// <summary>Of one request for a token.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(15);

    /// <summary>Bytes of an answer: tokens have a few thousand.</summary>
    private const int MaxAnswerBytes = 64 << 10;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Task<AccessTokenGrant>> _asked = new(StringComparer.Ordinal);
    private readonly HttpClient _client;
    private readonly TimeProvider _clock;

    /// <param name="clock">Tells when a token ends.</param>
    /// <param name="targets">Where the endpoint may be; null for one that the server itself knows.</param>
    /// <param name="usesProxy">May the endpoint be behind the proxy that the environment names?</param>
    /// <param name="tls">Whom to trust; null: whom the machine trusts.</param>
    protected AccessTokens(
        TimeProvider clock,
        bool usesProxy,
        HttpTargets.TargetAddresses? targets = null,
        System.Net.Security.SslClientAuthenticationOptions? tls = null
    )
    {
        _clock = clock;
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = usesProxy,
            ConnectTimeout = s_timeout,
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        };
        if (tls is not null)
            handler.SslOptions = tls;
        // Each request has a time-out of its own.
        _client = new HttpClient(targets?.Guard(handler) ?? handler)
        {
            Timeout = Timeout.InfiniteTimeSpan,
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
    }

    /// <summary>A token for a resource, of which at least five minutes are left, or all that a new one has.</summary>
    /// <param name="resource">Its address without <c>/.default</c>, for example <c>https://storage.azure.com</c>.</param>
    /// <param name="cancellation">Ends the waiting.</param>
    /// <exception cref="SinkException">The endpoint refuses (fault of the task), or is not to be had (fault of the sink).</exception>
    public async Task<AccessTokenGrant> GetAsync(string resource, CancellationToken cancellation)
    {
        Task<AccessTokenGrant>? asked;
        lock (_lock)
        {
            if (!_asked.TryGetValue(resource, out asked) || !IsGoodOrComing(asked))
                _asked[resource] = asked = AskAsync(resource);
        }
        try
        {
            return await asked.WaitAsync(cancellation).ConfigureAwait(false);
        }
        catch (SinkException e)
        {
            // Several tasks wait for one answer: each throws an exception of its own.
            throw new SinkException(e.Fault, e.Message, e, e.RetryAfter);
        }
    }

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing)
    {
        if (disposing)
            _client.Dispose();
    }

    /// <summary>A new request for a token.</summary>
    protected abstract HttpRequestMessage Request(string resource);

    /// <summary>Whose fault a status other than 200 is.</summary>
    protected abstract SinkFault FaultOf(HttpStatusCode status);

    /// <summary>What the endpoint is called in errors.</summary>
    protected abstract string EndpointName { get; }

    private bool IsGoodOrComing(Task<AccessTokenGrant> asked) =>
        !asked.IsCompleted || (asked.IsCompletedSuccessfully && asked.Result.ExpiresOn - _clock.GetUtcNow() > s_margin);

    private async Task<AccessTokenGrant> AskAsync(string resource)
    {
        using var timeout = new CancellationTokenSource(s_timeout);
        using var request = Request(resource);
        try
        {
            using var response = await _client.SendAsync(request, timeout.Token).ConfigureAwait(false);
            byte[] body = await response.Content.ReadAsByteArrayAsync(timeout.Token).ConfigureAwait(false);
            if (response.StatusCode != HttpStatusCode.OK)
                throw Refusal(response, body);
            return AccessTokenGrant.Parse(body, _clock.GetUtcNow())
                ?? throw new SinkException(SinkFault.Task, $"The {EndpointName} answered something that is no token.");
        }
        catch (OperationCanceledException e)
        {
            throw new SinkException(SinkFault.Sink, $"The {EndpointName} did not answer within {s_timeout.TotalSeconds:0.#} s.", e);
        }
        catch (HttpRequestException e) when (e.InnerException is HttpTargets.RefusedAddressException refused)
        {
            throw new SinkException(SinkFault.Task, $"The {EndpointName}: {refused.Message}", e);
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw new SinkException(SinkFault.Sink, $"The {EndpointName} cannot be reached: {e.Message}", e);
        }
    }

    private SinkException Refusal(HttpResponseMessage response, byte[] body)
    {
        string said = Reason(body);
        var fault = FaultOf(response.StatusCode);
        return new SinkException(
            fault,
            $"The {EndpointName} answered {(int)response.StatusCode}{(said.Length > 0 ? $": {said}" : ".")}",
            retryAfter: RetryPause.Of(response.Headers, _clock)
        );
    }

    /// <summary>The first line of <c>error_description</c>, which has no secret: the lines after it are ids.</summary>
    private static string Reason(byte[] body)
    {
        try
        {
            using var answer = JsonDocument.Parse(body);
            if (
                answer.RootElement.ValueKind == JsonValueKind.Object
                && answer.RootElement.TryGetProperty("error_description", out var text)
                && text.ValueKind == JsonValueKind.String
            )
                return text.GetString()!.Split('\r', '\n')[0];
        }
        catch (JsonException)
        {
            // A proxy's page, say: its status says enough.
        }
        return "";
    }
}

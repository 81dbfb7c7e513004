using System.Buffers;
using System.Net.Http.Headers;
using System.Security.Authentication;
using System.Text;
using Jackdaw.Etl.HttpTargets;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Webhook;

/// <summary>
/// Posts each message as a structured CloudEvent to an HTTP endpoint, several at a time, never two of one key. No gap; duplicates
/// only after a crash or a lost
/// connection, with the same id; order per key.
/// </summary>
internal sealed class WebhookSink : ISink, IConnectionTest
{
    public const string TargetMark = "{target}";

    /// <summary>Bytes of an answer that are read: enough for a reason.</summary>
    private const int MaxAnswerBytes = 1024;

    private static readonly MediaTypeHeaderValue s_contentType = new(CloudEventJson.ContentType, "utf-8");

    private readonly WebhookSettings _settings;
    private readonly byte[]? _secret;
    private readonly TimeProvider _clock;
    private readonly HttpClient _client;

    /// <param name="settings">Valid ones.</param>
    /// <param name="clock">Gives the time that is signed.</param>
    /// <param name="targets">Where the endpoint may be; null: anywhere but where credentials are handed out.</param>
    public WebhookSink(WebhookSettings settings, TimeProvider clock, TargetAddresses? targets = null)
    {
        settings.Validate();
        _settings = settings;
        _secret = settings.Secret is null ? null : settings.SecretBytes();
        _clock = clock;
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectTimeout = settings.Timeout,
            MaxConnectionsPerServer = settings.MaxConcurrency,
            // A name that moves to another address is followed.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        };
        // Each request has a time-out of its own.
        _client = new HttpClient((targets ?? new TargetAddresses(RefusesPrivate: false)).Guard(handler))
        {
            Timeout = System.Threading.Timeout.InfiniteTimeSpan,
        };
    }

    public bool AllowsRoutingKeys => false;

    /// <summary>There is no connection to be made before there is something to say.</summary>
    public Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation) =>
        KeyedWindow.RunAsync(delivery, _settings.MaxConcurrency, (message, attempt) => SendAsync(message, attempt, cancellation));

    /// <summary>
    /// Asks for the endpoint's options, which changes nothing. Any answer shows that it is there; most endpoints refuse the
    /// method, so the status proves no more than that.
    /// Errors as <see cref="DeliverAsync"/>.
    /// </summary>
    public Task<string> TestAsync(CancellationToken cancellation)
    {
        var url = new Uri(AddressFor("connection-test"));
        return ReachAsync(
            url,
            async timeout =>
            {
                using var request = new HttpRequestMessage(HttpMethod.Options, url);
                using var response = await _client
                    .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, timeout)
                    .ConfigureAwait(false);
                return $"{url.Authority} is reached: it answers {(int)response.StatusCode} to OPTIONS. Nothing was sent.";
            },
            cancellation
        );
    }

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return ValueTask.CompletedTask;
    }

    private Task<string?> SendAsync(OutboundMessage message, int attempt, CancellationToken cancellation)
    {
        // No escape keeps a segment of dots from being taken for a step in the path.
        if (message.Target.AsSpan().Trim('.').IsEmpty && _settings.Url.Contains(TargetMark, StringComparison.Ordinal))
            return Task.FromResult<string?>($"The target '{message.Target}' would lead to another path of the webhook's Url.");
        // Where it stands in the host's name.
        if (!Uri.TryCreate(AddressFor(message.Target), UriKind.Absolute, out var url))
            return Task.FromResult<string?>($"With the target '{message.Target}' the webhook's Url is no address.");
        return ReachAsync(
            url,
            async timeout =>
            {
                using var request = Request(url, message, attempt);
                using var response = await _client
                    .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, timeout)
                    .ConfigureAwait(false);
                string said = response.IsSuccessStatusCode ? "" : await ReasonAsync(response, timeout).ConfigureAwait(false);
                return WebhookAnswer.Classify(response.StatusCode, url, said, RetryPause.Of(response.Headers, _clock));
            },
            cancellation
        );
    }

    /// <summary>Runs a request within its time-out, and tells whose fault it is that there was no answer.</summary>
    private async Task<T> ReachAsync<T>(Uri url, Func<CancellationToken, Task<T>> request, CancellationToken cancellation)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        timeout.CancelAfter(_settings.Timeout);
        try
        {
            return await request(timeout.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!cancellation.IsCancellationRequested)
        {
            throw new SinkException(SinkFault.Sink, $"{url.Authority} did not answer within {_settings.Timeout.TotalSeconds:0.#} s.", e);
        }
        catch (HttpRequestException e) when (e.InnerException is AuthenticationException)
        {
            throw new SinkException(SinkFault.Task, $"No secure connection to {url.Authority}: {e.InnerException.Message}", e);
        }
        catch (HttpRequestException e) when (e.InnerException is RefusedAddressException refused)
        {
            throw new SinkException(SinkFault.Task, refused.Message, e);
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw new SinkException(SinkFault.Sink, $"{url.Authority} cannot be reached: {e.Message}", e);
        }
    }

    private HttpRequestMessage Request(Uri url, OutboundMessage message, int attempt)
    {
        var output = new ArrayBufferWriter<byte>(message.Data.Length + 512);
        CloudEventJson.Write(message, attempt, output);
        var content = new ReadOnlyMemoryContent(output.WrittenMemory);
        content.Headers.ContentType = s_contentType;
        var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = content };
        string id = WebhookSignature.Id(message.Event);
        string timestamp = WebhookSignature.Timestamp(_clock.GetUtcNow());
        request.Headers.Add(WebhookSignature.IdHeader, id);
        request.Headers.Add(WebhookSignature.TimestampHeader, timestamp);
        if (_secret is { } secret)
            request.Headers.Add(WebhookSignature.SignatureHeader, WebhookSignature.Sign(secret, id, timestamp, output.WrittenSpan));
        return request;
    }

    private string AddressFor(string target) => _settings.Url.Replace(TargetMark, Uri.EscapeDataString(target), StringComparison.Ordinal);

    /// <summary>The beginning of the body, on one line.</summary>
    private static async Task<string> ReasonAsync(HttpResponseMessage response, CancellationToken cancellation)
    {
        byte[] bytes = new byte[MaxAnswerBytes];
        await using var body = await response.Content.ReadAsStreamAsync(cancellation).ConfigureAwait(false);
        int length = await body.ReadAtLeastAsync(bytes, bytes.Length, throwOnEndOfStream: false, cancellation).ConfigureAwait(false);
        var text = new StringBuilder(length);
        foreach (char c in Encoding.UTF8.GetString(bytes, 0, length))
            text.Append(char.IsControl(c) ? ' ' : c);
        return text.ToString().Trim();
    }
}

using System.Net;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Trust;

namespace Jackdaw.EventStreams.Client.Repeating;

/// <summary>The connections of a client, and the database that it has met.</summary>
internal sealed class ServerConnection : IDisposable
{
    // Not an HttpClient, which adds a time-out and tokens of its own to each request: attempts have theirs.
    private readonly HttpMessageInvoker _http;
    private readonly Uri _root;
    private readonly Version _version;
    private Uri? _appends;
    private readonly ServerTrust _trust;
    private string? _databaseId;

    public ServerConnection(EventStreamsClientOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(options.Database);
        Options = options;
        var handler = new SocketsHttpHandler
        {
            ConnectTimeout = options.ConnectTimeout,
            // Names may lead elsewhere after a while.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
            EnableMultipleHttp2Connections = true,
            UseCookies = false,
            AllowAutoRedirect = false,
        };
        _trust = options.NewTrust();
        _trust.Apply(handler.SslOptions);
        if (options.Certificate is { } certificate)
            handler.SslOptions.ClientCertificates = [certificate];
        var root = options.Url.AbsoluteUri;
        _root = new Uri(root.EndsWith('/') ? root : root + "/");
        // Without TLS there is no agreement on HTTP/2.
        _version = options.Url.Scheme == Uri.UriSchemeHttps ? HttpVersion.Version20 : HttpVersion.Version11;
        _http = new HttpMessageInvoker(handler);
    }

    public EventStreamsClientOptions Options { get; }

    /// <summary>Null until an answer has told it.</summary>
    public string? DatabaseId => Volatile.Read(ref _databaseId);

    /// <summary>The database as errors name it.</summary>
    public string Name => $"database '{Options.Database}' at {Options.Url}";

    /// <summary>A path below the database; the id of the database that the caller means is added.</summary>
    public string Path(string path, string query = "") =>
        $"databases/{Uri.EscapeDataString(Options.Database)}/{path}?"
        + (DatabaseId is { } id ? $"databaseId={Uri.EscapeDataString(id)}{(query.Length > 0 ? "&" : "")}" : "")
        + query;

    /// <summary>The address of appends.</summary>
    public Uri Appends
    {
        get
        {
            if (DatabaseId is null)
                return new Uri(_root, Path("events"));
            return _appends ??= new Uri(_root, Path("events"));
        }
    }

    /// <summary>As the other one, with a path below the server's address.</summary>
    public Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, HttpContent? content, CancellationToken cancel) =>
        SendAsync(method, new Uri(_root, path), content, cancel);

    /// <summary>Sends one request and returns when the head of a successful answer is here.</summary>
    /// <exception cref="RequestRefusedException">The status is an error.</exception>
    /// <exception cref="DatabaseChangedException">The name leads to another database than before.</exception>
    /// <exception cref="ServerNotTrustedException">The server is not the one that is meant; nothing was sent.</exception>
    public async Task<HttpResponseMessage> SendAsync(HttpMethod method, Uri address, HttpContent? content, CancellationToken cancel)
    {
        using var request = new HttpRequestMessage(method, address)
        {
            Content = content,
            Version = _version,
            VersionPolicy = HttpVersionPolicy.RequestVersionOrLower,
        };
        HttpResponseMessage answer;
        try
        {
            answer = await _http.SendAsync(request, cancel);
        }
        catch (HttpRequestException e) when (e.HttpRequestError == HttpRequestError.SecureConnectionError && _trust.Refusal is { } refusal)
        {
            throw new ServerNotTrustedException($"The server of the {Name} is not trusted: {refusal}", e);
        }
        if (answer.IsSuccessStatusCode)
            return answer;
        using (answer)
            throw await ErrorAsync(answer, method, cancel);
    }

    /// <summary>Remembers the database at its first answer, and requires that it stays the same.</summary>
    /// <exception cref="DatabaseChangedException">It is another one.</exception>
    public void Met(string databaseId)
    {
        var known = Interlocked.CompareExchange(ref _databaseId, databaseId, null);
        if (known is not null && known != databaseId)
            throw Changed($"its id was {known} and is {databaseId}");
    }

    public UnexpectedAnswerException NotUnderstood(string what, Exception? inner = null) =>
        new($"The answer of the {Name} to {what} is not one of Jackdaw's, or of another version.", inner);

    public void Dispose() => _http.Dispose();

    private DatabaseChangedException Changed(string how) =>
        new(
            $"The {Name} is another one than before: {how}. It was created again or replaced by a copy, so what this process knows of its "
                + "streams is out of date. Restart the process."
        );

    private async Task<Exception> ErrorAsync(HttpResponseMessage answer, HttpMethod method, CancellationToken cancel)
    {
        var text = await answer.Content.ReadAsStringAsync(cancel);
        var (type, message) = ("", text.Length > 500 ? text[..500] : text);
        try
        {
            using var json = JsonDocument.Parse(text);
            type = json.RootElement.GetProperty("Type").GetString() ?? "";
            message = json.RootElement.GetProperty("Message").GetString() ?? "";
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            // Not an error of Jackdaw's: a proxy may have answered. The text itself is told.
        }
        if (answer.StatusCode == HttpStatusCode.PreconditionFailed)
            return Changed(message);
        return new RequestRefusedException(
            answer.StatusCode,
            type,
            $"{method} {answer.RequestMessage?.RequestUri?.AbsolutePath} at {Options.Url} was answered {(int)answer.StatusCode}: {message}"
        );
    }
}

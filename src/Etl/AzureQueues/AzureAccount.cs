using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Storage.Blobs;
using Azure.Storage.Queues;
using Jackdaw.Etl.AzureIdentity;
using Jackdaw.Etl.HttpTargets;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>The clients of a storage account, over connections and tokens of their own.</summary>
internal sealed class AzureAccount : IDisposable
{
    private readonly AccessTokens? _tokens;
    private readonly HttpClient _http;

    /// <param name="settings">Valid ones.</param>
    /// <param name="clock">Tells when a token ends.</param>
    /// <param name="handler">Sends the requests; null: over the network. The account's own from now on.</param>
    /// <param name="targets">Where its endpoints may be; null: anywhere but where credentials are handed out.</param>
    public AzureAccount(
        AzureQueueSettings settings,
        TimeProvider clock,
        HttpMessageHandler? handler = null,
        TargetAddresses? targets = null
    )
    {
        targets ??= new TargetAddresses(RefusesPrivate: false);
        if (settings.EntraId is { } entraId)
            _tokens = new ClientSecretTokens(entraId, clock, targets);
        else if (settings.IsPasswordless)
            _tokens = new ManagedIdentityTokens(
                settings.ManagedIdentityEndpoint ?? ManagedIdentityEndpoint.Find(Environment.GetEnvironmentVariable),
                settings.ManagedIdentityClientId,
                clock
            );
        Pause = new AskedPause(clock);
        // Each request has a time-out of its own.
        _http = new HttpClient(handler ?? targets.Guard(Network(settings))) { Timeout = Timeout.InfiniteTimeSpan };
        var queues = Prepare(new QueueClientOptions());
        var blobs = Prepare(new BlobClientOptions());
        if (_tokens is not null)
        {
            var credential = new AccessTokenCredential(_tokens);
            Queues = new QueueServiceClient(Address(settings, "queue"), credential, queues);
            Blobs = new BlobServiceClient(Address(settings, "blob"), credential, blobs);
        }
        else
        {
            Queues = new QueueServiceClient(settings.ConnectionString, queues);
            Blobs = settings.ClaimCheckContainer is null ? null : new BlobServiceClient(settings.ConnectionString, blobs);
        }
    }

    public QueueServiceClient Queues { get; }

    /// <summary>Null unless it may be needed.</summary>
    public BlobServiceClient? Blobs { get; }

    /// <summary>What its answers ask for.</summary>
    public AskedPause Pause { get; }

    public void Dispose()
    {
        _http.Dispose();
        _tokens?.Dispose();
    }

    private static Uri Address(AzureQueueSettings settings, string service) =>
        new($"https://{settings.AccountName}.{service}.{settings.EndpointSuffix}/");

    private static SocketsHttpHandler Network(AzureQueueSettings settings) =>
        new()
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectTimeout = settings.Timeout,
            MaxConnectionsPerServer = settings.MaxConcurrency,
            // A name that moves to another address is followed.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        };

    /// <summary>Nothing is tried again, and nothing timed, inside of the library, where neither the task's state nor its pauses
    /// would show it.</summary>
    private TOptions Prepare<TOptions>(TOptions options)
        where TOptions : ClientOptions
    {
        options.Transport = new HttpClientTransport(_http);
        options.AddPolicy(Pause, HttpPipelinePosition.PerCall);
        options.Retry.MaxRetries = 0;
        // The sink gives each request its time: an upload has more of it than this library would give every request.
        options.Retry.NetworkTimeout = Timeout.InfiniteTimeSpan;
        options.Diagnostics.IsLoggingEnabled = false;
        options.Diagnostics.IsDistributedTracingEnabled = false;
        options.Diagnostics.IsTelemetryEnabled = false;
        return options;
    }
}

using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Storage.Blobs;
using Jackdaw.Functions.CustomHandler.Configuration;

namespace Jackdaw.Functions.CustomHandler.Blobs;

/// <summary>The storage account of claim checks and of dead letters that are too large for a queue. It is the only one that this process
/// asks for anything.</summary>
/// <param name="Service">Its client.</param>
/// <param name="DeadLetters">The container of large dead letters.</param>
internal sealed record BlobAccount(BlobServiceClient Service, BlobContainerClient DeadLetters)
{
    /// <summary>Opens the account of the settings; null where they name none. Throws <see cref="SettingException"/>.</summary>
    public static BlobAccount? Open(AppSettings settings)
    {
        if (Client(settings) is not { } service)
            return null;
        return new BlobAccount(service, service.GetBlobContainerClient(settings.DeadLetterContainer));
    }

    private static BlobServiceClient? Client(AppSettings settings)
    {
        if (settings.ClaimChecks is { } text)
        {
            try
            {
                return new BlobServiceClient(text, Options());
            }
            catch (Exception e) when (e is FormatException or ArgumentException or InvalidOperationException)
            {
                throw new SettingException("The setting 'ClaimChecks' must be a connection string of an Azure storage account.", e);
            }
        }
        if (settings.ClaimChecksUri is not { } address)
            return null;
        if (address.Scheme != Uri.UriSchemeHttps)
            throw new SettingException(
                "The setting 'ClaimChecks__blobServiceUri' must begin with https: the app's identity is shown there."
            );
        return new BlobServiceClient(address, ManagedIdentityCredential.Find(settings.ClaimChecksClientId), Options());
    }

    /// <summary>Nothing is tried again inside of the library: the message waits, and the log says why.</summary>
    private static BlobClientOptions Options()
    {
        var options = new BlobClientOptions { Transport = new HttpClientTransport(Network()) };
        options.Retry.MaxRetries = 0;
        options.Retry.NetworkTimeout = AppLimits.StorageTimeout;
        options.Diagnostics.IsLoggingEnabled = false;
        options.Diagnostics.IsDistributedTracingEnabled = false;
        options.Diagnostics.IsTelemetryEnabled = false;
        return options;
    }

    private static HttpClient Network() =>
        new(
            new SocketsHttpHandler
            {
                AllowAutoRedirect = false,
                UseCookies = false,
                ConnectTimeout = AppLimits.ConnectTimeout,
                MaxConnectionsPerServer = AppLimits.MaxMessagesAtOnce,
                PooledConnectionLifetime = TimeSpan.FromMinutes(5),
            }
        )
        {
            // Each request has a time-out of its own.
            Timeout = Timeout.InfiniteTimeSpan,
        };
}

using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Queues;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>The storage account whose queues are operated.</summary>
/// <param name="Queues">Its queues.</param>
/// <param name="Blobs">Its blobs, where large dead letters are.</param>
internal sealed record QueueAccount(QueueServiceClient Queues, BlobServiceClient Blobs)
{
    /// <summary>The Azure CLI's own name for it.</summary>
    public const string ConnectionStringVariable = "AZURE_STORAGE_CONNECTION_STRING";

    /// <summary>Opens the account that the command line names, or else the environment.</summary>
    /// <exception cref="ConfigurationException">Neither names one, or what they say is none.</exception>
    public static QueueAccount Open(QueuesCommandLine line)
    {
        if (line.Option("--queue-service-uri") is { } text)
            return ByIdentity(text);
        var connectionString =
            line.Option("--connection-string")
            ?? Environment.GetEnvironmentVariable(ConnectionStringVariable)
            ?? throw new ConfigurationException(
                "Say which storage account is meant: --queue-service-uri https://ACCOUNT.queue.core.windows.net "
                    + $"(with the Azure CLI's login), --connection-string TEXT, or the environment variable {ConnectionStringVariable}."
            );
        try
        {
            return new QueueAccount(new QueueServiceClient(connectionString), new BlobServiceClient(connectionString));
        }
        catch (Exception e) when (e is FormatException or ArgumentException or InvalidOperationException)
        {
            throw new ConfigurationException("The connection string is not one of an Azure storage account.", e);
        }
    }

    /// <summary>Is it an error of Azure's client library? One that was tried several times is an error with several others in it.</summary>
    public static bool IsOfAzure(Exception e) =>
        e is RequestFailedException || (e is AggregateException many && many.InnerExceptions.All(one => IsOfAzure(one) || IsTimeout(one)));

    /// <summary>An error of Azure as a sentence.</summary>
    public static RefusedException Refused(Exception e, string what)
    {
        var last = e is AggregateException many ? many.InnerExceptions[^1] : e;
        var (status, code) = last is RequestFailedException failed ? (failed.Status, failed.ErrorCode) : (0, null);
        var answer = status == 0 ? "cannot be reached" : $"answered {status}{(string.IsNullOrEmpty(code) ? "" : $" ({code})")}";
        return new RefusedException($"{what}: the storage account {answer}: {FirstLine(last)}", e);
    }

    private static bool IsTimeout(Exception e) => e is TaskCanceledException or TimeoutException;

    private static QueueAccount ByIdentity(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out var address) || address.Scheme != Uri.UriSchemeHttps)
            throw new ConfigurationException("--queue-service-uri takes an https address, such as https://ACCOUNT.queue.core.windows.net.");
        var credential = new AzureCliCredential();
        var blobs = new UriBuilder(address) { Host = address.Host.Replace(".queue.", ".blob.", StringComparison.Ordinal) }.Uri;
        return new QueueAccount(new QueueServiceClient(address, credential), new BlobServiceClient(blobs, credential));
    }

    /// <summary>Those behind it are ids and headers.</summary>
    private static string FirstLine(Exception e) => e.Message.Split('\r', '\n')[0].Trim();
}

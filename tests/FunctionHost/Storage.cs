using Azure;
using Azure.Storage.Queues;

namespace Jackdaw.FunctionHost;

/// <summary>Storage accounts: how they are entered, and which errors are theirs.</summary>
internal static class Storage
{
    private static readonly TimeSpan s_networkTimeout = TimeSpan.FromSeconds(30);

    /// <summary>A client of a queue, whose messages are as they are stored.</summary>
    public static QueueClient Queue(string connection, string name)
    {
        var options = new QueueClientOptions { MessageEncoding = QueueMessageEncoding.None };
        options.Retry.NetworkTimeout = s_networkTimeout;
        return new QueueClient(connection, name, options);
    }

    /// <summary>Whether an account did not answer, or refused.</summary>
    public static bool HasFailed(Exception e) =>
        e is RequestFailedException or AggregateException or IOException or OperationCanceledException;
}

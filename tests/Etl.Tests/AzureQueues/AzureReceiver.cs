using System.Text.Json;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Jackdaw.Brokers;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>A queue of the test's own, read by Azure's client directly, past any proxy.</summary>
internal sealed class AzureReceiver(AzuriteBroker broker)
{
    /// <summary>The most that one request gives.</summary>
    private const int MaxReceived = 32;

    public QueueClient Queue { get; } =
        new(
            broker.ConnectionString,
            $"orders-{Guid.NewGuid():N}"[..20],
            new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 }
        );

    /// <summary>Sends the document to the queue.</summary>
    public string Script => $"loadTo('{Queue.Name}', this);";

    /// <summary>All messages that are there, taken out of the queue.</summary>
    public async Task<List<QueueMessage>> TakeMessagesAsync()
    {
        var taken = new List<QueueMessage>();
        while ((await Queue.ReceiveMessagesAsync(MaxReceived, TimeSpan.FromMinutes(5))).Value is { Length: > 0 } some)
        {
            taken.AddRange(some);
            await Task.WhenAll(some.Select(message => Queue.DeleteMessageAsync(message.MessageId, message.PopReceipt)));
        }
        return taken;
    }

    /// <summary>The events in them.</summary>
    public async Task<List<JsonElement>> TakeAsync() =>
        (await TakeMessagesAsync()).Select(message => JsonDocument.Parse(message.Body.ToMemory()).RootElement).ToList();
}

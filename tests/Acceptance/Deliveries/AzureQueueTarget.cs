using System.Text.Json;
using System.Text.Json.Nodes;
using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>An Azure queue in Azurite. The target refuses what is over 64 KB.</summary>
internal sealed class AzureQueueTarget : DeliveryTarget
{
    private readonly AzuriteBroker _broker;
    private readonly QueueClient _queue;

    private AzureQueueTarget(AzuriteBroker broker)
    {
        _broker = broker;
        Proxy = CuttingProxy.Start(broker.QueuePort);
        _queue = new QueueClient(
            broker.ConnectionString,
            "orders",
            new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 }
        );
    }

    public override string Name => "Azure queue";

    /// <summary>Receipt from a queue is unordered.</summary>
    public override DeliveryPromise Promise { get; } = new(IsExactlyOnce: false, IsOrdered: false);

    public override CuttingProxy Proxy { get; }

    public override string Script =>
        """
            if (this.bad === 'script') throw new Error('no');
            const filler = this.bad === 'sink' ? 'x'.repeat(70000) : '';
            loadToOrders({ n: this.n, filler });
            if (this.n % 5 === 0) loadToOrders({ n: this.n, filler, part: 2 });
            """;

    /// <summary>It saves in order; kill -9 would lose what it acknowledged in the last seconds.</summary>
    public override Func<Task> Restart =>
        async () =>
        {
            await _broker.StopAsync();
            await _broker.StartAgainAsync();
        };

    public static async Task<AzureQueueTarget> StartAsync() => new(await AzuriteBroker.StartAsync());

    public override JsonObject Connection() =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "Target",
            ["BrokerType"] = "AzureQueueStorage",
            ["AzureQueueStorageConnectionSettings"] = new JsonObject
            {
                ["ConnectionString"] = _broker.ConnectionStringOver(Proxy.Port, _broker.BlobPort),
            },
        };

    public override async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        await _broker.DisposeAsync();
    }

    protected override async Task<IReadOnlyList<Arrival>> TakeAsync()
    {
        const int MostAtOnce = 32;
        var taken = new List<Arrival>();
        if (!await _queue.ExistsAsync())
            return taken;
        while ((await _queue.ReceiveMessagesAsync(MostAtOnce)).Value is { Length: > 0 } messages)
        {
            taken.AddRange(messages.Select(Read));
            await Task.WhenAll(messages.Select(message => _queue.DeleteMessageAsync(message.MessageId, message.PopReceipt)));
        }
        return taken;
    }

    private static Arrival Read(QueueMessage message)
    {
        using var received = JsonDocument.Parse(message.Body);
        return Arrival.Structured(received.RootElement);
    }
}

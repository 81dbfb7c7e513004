using System.Text.Json.Nodes;
using Azure.Storage.Queues;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class SharedAzurite() : SharedBroker<AzuriteBroker>(BrokerKind.Azurite)
{
    public string ConnectionString => Broker.ConnectionString;

    public override JsonObject Connection =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "azure",
            ["BrokerType"] = "AzureQueueStorage",
            ["AzureQueueStorageConnectionSettings"] = new JsonObject { ["ConnectionString"] = ConnectionString },
        };

    protected override Task<AzuriteBroker> StartBrokerAsync() => AzuriteBroker.StartAsync();

    public override async Task RequireAndRemoveAsync(string target, long count, CancellationToken cancel)
    {
        var queue = new QueueClient(ConnectionString, target);
        int found = (await queue.GetPropertiesAsync(cancel)).Value.ApproximateMessagesCount;
        await queue.DeleteAsync(cancel);
        if (found != count)
            throw new IOException($"{count} messages were confirmed, and the queue has {found}");
    }
}

using System.Text.Json.Nodes;
using Azure.Storage.Queues;
using Jackdaw.Brokers;

namespace Jackdaw.EndToEnd.Transports;

/// <summary>Storage queues of the Azurite that also takes dead letters.</summary>
internal sealed class AzureTransport(AzuriteBroker azurite) : Transport
{
    /// <summary>The container of data that is too large for a message.</summary>
    public const string ClaimChecks = "claim-checks";

    public override string Name => "Azure queue";

    public override string Functions => "FromQueue";

    public override CuttingProxy Proxy { get; } = CuttingProxy.Start(azurite.QueuePort);

    public override JsonObject Connection =>
        new()
        {
            ["Sink"] = "AzureQueueStorage",
            ["AzureQueueStorageConnectionSettings"] = new JsonObject
            {
                ["ConnectionString"] = ConnectionString,
                ["ClaimCheckContainer"] = ClaimChecks,
            },
        };

    public override IReadOnlyDictionary<string, string> Settings => new Dictionary<string, string> { ["Queues"] = ConnectionString };

    private string ConnectionString => azurite.ConnectionStringOver(Proxy.Port, azurite.BlobPort);

    public override async Task<long> BacklogAsync() => await CountAsync(azurite, Orders) + await CountAsync(azurite, Accounts);

    public override async Task<long> GivenUpAsync() =>
        await CountAsync(azurite, Orders + "-poison") + await CountAsync(azurite, Accounts + "-poison");

    public override Task SendAsync(string queue, string message) =>
        new QueueClient(
            azurite.ConnectionString,
            queue,
            new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 }
        ).SendMessageAsync(message);

    /// <summary>How many messages a queue has, those out of sight among them; 0 where there is none.</summary>
    public static async Task<long> CountAsync(AzuriteBroker azurite, string queue)
    {
        var client = new QueueClient(azurite.ConnectionString, queue);
        return await client.ExistsAsync() ? (await client.GetPropertiesAsync()).Value.ApproximateMessagesCount : 0;
    }

    public override ValueTask DisposeAsync() => Proxy.DisposeAsync();
}

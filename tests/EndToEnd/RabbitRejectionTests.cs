using Azure.Storage.Queues;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;

namespace Jackdaw.EndToEnd;

/// <summary>What becomes of messages of RabbitMQ that a function cannot handle, with the declarations of functions/rabbitmq.json and a
/// task's dead-letter exchange.</summary>
[Trait("Category", "Slow")]
public sealed class RabbitRejectionTests
{
    private const string Order = "orders/1";
    private const string Wrong = "orders/wrong";

    [BrokerFact(BrokerKind.Azurite, BrokerKind.RabbitMq)]
    public async Task Rejected_messages_wait_and_come_back_and_wrong_ones_are_dead_letters_that_are_sent_again()
    {
        await using var scene = await CloudScene.OpenAsync(
            async _ => await RabbitTransport.StartAsync(),
            isSecured: false,
            fails: _ => false,
            new HostOptions { Lease = TimeSpan.FromSeconds(5) }
        );
        // Dead letters come back by Azure's queue, whatever transport they came by; the deployment makes it.
        await new QueueClient(scene.Azurite.ConnectionString, Transport.Orders).CreateAsync();
        scene.Set("AzureWebJobs_OrdersFromQueue_Disabled", "false");
        scene.Set("Jackdaw__LongestInvocation", "1");
        await scene.SetReadModelAsync(isThere: false);
        await scene.PutOrderAsync(Order, 1);
        await scene.StartHostAsync();
        await scene.UntilSaidAsync("a message of the queue 'orders' was rejected after 5 failures");
        await scene.SetReadModelAsync(isThere: true);
        Assert.Null(await scene.SettleAsync([Order], []));

        // A function app that takes another database for the source: each message is of a database that it does not know.
        await scene.StopHostAsync();
        scene.Set("Jackdaw__SourceDatabase", "views");
        await scene.StartHostAsync();
        await scene.PutOrderAsync(Wrong, 2);
        Assert.Null(await scene.SettleAsync([Order], [], deadLetters: 1));
        var letter = Assert.Single(await scene.DeadLettersAsync());
        Assert.Contains("\"function\":\"OrdersFromRabbitMq\"", letter, StringComparison.Ordinal);
        Assert.Contains("neither the source", letter, StringComparison.Ordinal);
        Assert.Null(await scene.Shop.Wire.DocumentAsync("views", $"summaries/{Wrong}"));

        // The setting is mended, and an operator sends the dead letter again.
        await scene.StopHostAsync();
        scene.Set("Jackdaw__SourceDatabase", "shop");
        await scene.StartHostAsync();
        await scene.RedriveAsync();
        await scene.UntilSaidAsync("Executed 'Functions.OrdersFromQueue' (Succeeded");
        Assert.Null(await scene.SettleAsync([Order, Wrong], []));
    }
}

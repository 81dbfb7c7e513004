using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;
using Jackdaw.Functions.Tests;
using Xunit.Abstractions;

namespace Jackdaw.EndToEnd;

/// <summary>What would have to be found, planted: a host and a handler that do something wrong. None of it depends on timing.</summary>
[Trait("Category", "Slow")]
public sealed class PlantedMistakeTests(ITestOutputHelper output)
{
    private const string Order = "orders/1";

    [BrokerFact(BrokerKind.Azurite)]
    public Task A_host_that_removes_messages_of_an_Azure_queue_early_is_found() =>
        KillEarlyAsync(azurite => Task.FromResult<Transport>(new AzureTransport(azurite)));

    [BrokerFact(BrokerKind.Azurite, BrokerKind.RabbitMq)]
    public Task A_host_that_acknowledges_messages_of_RabbitMQ_early_is_found() =>
        KillEarlyAsync(async _ => await RabbitTransport.StartAsync());

    [BrokerFact(BrokerKind.Azurite, BrokerKind.Kafka)]
    public Task A_host_that_commits_offsets_of_Kafka_early_is_found() => KillEarlyAsync(async _ => await KafkaTransport.StartAsync());

    /// <summary>Two changes of one order are handled at once, and the first one's batch arrives last.</summary>
    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_handler_without_markers_is_found()
    {
        Assert.Null(await OvertakeAsync(Mistake.None));
        var found = await OvertakeAsync(Mistake.NoMarkers);
        output.WriteLine($"{found}");
        Assert.Contains(
            $"The summary of '{Order}' is 'companies/1: 1', and its source says 'companies/1: 2'",
            found,
            StringComparison.Ordinal
        );
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_host_that_gives_up_after_five_tries_is_found()
    {
        await using var scene = await OpenAsync(HostMistake.None, azurite => Task.FromResult<Transport>(new AzureTransport(azurite)));
        scene.Set("AzureFunctionsJobHost__extensions__queues__maxDequeueCount", "5");
        scene.Set("AzureFunctionsJobHost__extensions__queues__visibilityTimeout", "00:00:00");
        scene.Set("Jackdaw__LongestInvocation", "1");
        await scene.StartHostAsync();
        await scene.SetReadModelAsync(isThere: false);
        await scene.PutOrderAsync(Order, 1);
        await Eventually.IsAsync(async () => await scene.Transport.GivenUpAsync() > 0);
        await scene.SetReadModelAsync(isThere: true);
        Assert.Equal("The host gave 1 messages up.", await scene.SettleAsync([Order], []));
    }

    private static Task<CloudScene> OpenAsync(HostMistake mistake, Func<AzuriteBroker, Task<Transport>> start) =>
        CloudScene.OpenAsync(
            start,
            isSecured: false,
            fails: _ => false,
            new HostOptions { Lease = TimeSpan.FromSeconds(5), Mistake = mistake }
        );

    private async Task KillEarlyAsync(Func<AzuriteBroker, Task<Transport>> start)
    {
        await using var scene = await OpenAsync(HostMistake.AcknowledgesEarly, start);
        await scene.StartHostAsync();
        await scene.KillHostWithMessagesAsync(() => scene.PutOrderAsync(Order, 1), isLost: true);
        var found = await scene.SettleAsync([Order], []);
        output.WriteLine($"{found}");
        Assert.Equal($"The summary of '{Order}' is 'none', and its source says 'companies/1: 1'.", found);
    }

    private static async Task<string?> OvertakeAsync(Mistake mistake)
    {
        await using var scene = await OpenAsync(HostMistake.None, azurite => Task.FromResult<Transport>(new AzureTransport(azurite)));
        await using var tamper = new Tamper(scene.Shop.Url, mistake);
        scene.Set("Jackdaw__Url", tamper.Url);
        await scene.StartHostAsync();
        await scene.PutOrderAsync(Order, 1);
        await Eventually.IsAsync(() => tamper.IsHolding);
        await scene.PutOrderAsync(Order, 2);
        await Eventually.IsAsync(async () => await scene.Shop.Wire.DocumentAsync("views", $"summaries/{Order}") is not null);
        tamper.Release();
        return await scene.SettleAsync([Order], []);
    }
}

using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;

namespace Jackdaw.EndToEnd;

/// <summary>A read model that is there and takes no writes: nothing is lost or applied twice, no message is given up, and everything
/// arrives afterwards. An invocation gives up after a second, so that seconds use up tries as hours would.</summary>
[Trait("Category", "Slow")]
public sealed class RefusalTests
{
    private const string Stream = "account-1";

    private readonly List<string> _orders = [];

    [SmallDiskFact(BrokerKind.Azurite)]
    public async Task A_read_model_without_room_is_waited_for_and_everything_arrives_once_there_is_room()
    {
        await using var scene = await OpenAsync(isSecured: false);
        await scene.Shop.MoveReadModelToSmallDiskAsync();
        await scene.StartHostAsync();
        await ChangeAsync(scene);
        Assert.Null(await scene.SettleAsync(_orders, [Stream]));

        var failed = scene.Invocations.Failed;
        await Eventually.IsAsync(async () =>
        {
            // Messages come while it fills up, and again where the database has found some room by itself.
            await scene.Shop.FillReadModelAsync();
            await ChangeAsync(scene);
            return scene.HasSaid("answered 507 to bulk_docs") && scene.Invocations.Failed > failed;
        });
        Assert.Contains("free some space", scene.Said, StringComparison.Ordinal);

        scene.Shop.FreeReadModel();
        Assert.Null(await scene.SettleAsync(_orders, [Stream]));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_right_that_is_taken_away_is_waited_for_and_everything_arrives_once_it_is_back()
    {
        await using var scene = await OpenAsync(isSecured: true);
        await scene.StartHostAsync();
        await ChangeAsync(scene);
        Assert.Null(await scene.SettleAsync(_orders, [Stream]));

        var failed = scene.Invocations.Failed;
        await scene.Shop.SetRightAsync("Read");
        await ChangeAsync(scene);
        await Eventually.IsAsync(() => scene.HasSaid("answered 403 to bulk_docs") && scene.Invocations.Failed > failed);

        await scene.Shop.SetRightAsync("ReadWrite");
        Assert.Null(await scene.SettleAsync(_orders, [Stream]));
    }

    private static async Task<CloudScene> OpenAsync(bool isSecured)
    {
        var scene = await CloudScene.OpenAsync(
            azurite => Task.FromResult<Transport>(new AzureTransport(azurite)),
            isSecured,
            fails: _ => false,
            new HostOptions { Lease = TimeSpan.FromSeconds(5) }
        );
        scene.Set("Jackdaw__LongestInvocation", "1");
        return scene;
    }

    /// <summary>A new order, a change of the first one, and an event with an effect outside.</summary>
    private async Task ChangeAsync(CloudScene scene)
    {
        _orders.Add($"orders/{_orders.Count}");
        await scene.PutOrderAsync(_orders[^1], _orders.Count);
        await scene.PutOrderAsync(_orders[0], 1000 + _orders.Count);
        await scene.AppendAsync(Stream, "withdrawn", 1000 + _orders.Count);
    }
}

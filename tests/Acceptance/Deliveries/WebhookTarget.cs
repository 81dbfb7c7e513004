using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>An HTTP endpoint in this process.</summary>
internal sealed class WebhookTarget : DeliveryTarget
{
    private readonly WebhookReceiver _receiver = new(received =>
        received.GetProperty("data").GetProperty("bad").GetString() == "sink" ? 422 : 200
    );
    private int _taken;

    public WebhookTarget() => Proxy = CuttingProxy.Start(new Uri(_receiver.Url).Port);

    public override string Name => "Webhook";

    public override DeliveryPromise Promise { get; } = new(IsExactlyOnce: false, IsOrdered: true);

    public override CuttingProxy Proxy { get; }

    public override string Script =>
        """
            if (this.bad === 'script') throw new Error('no');
            loadToOrders({ n: this.n, bad: this.bad });
            if (this.n % 5 === 0) loadToOrders({ n: this.n, bad: this.bad, part: 2 });
            """;

    public override JsonObject Connection() =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "Target",
            ["BrokerType"] = "None",
            ["WebhookConnectionSettings"] = new JsonObject { ["Url"] = $"http://127.0.0.1:{Proxy.Port}/hook/" },
        };

    public override async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        await _receiver.DisposeAsync();
    }

    protected override Task<IReadOnlyList<Arrival>> TakeAsync()
    {
        IReadOnlyList<Arrival> next = [.. _receiver.Events.Skip(_taken).Select(Arrival.Structured)];
        _taken += next.Count;
        return Task.FromResult(next);
    }
}

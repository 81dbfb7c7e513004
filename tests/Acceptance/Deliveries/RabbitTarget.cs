using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>A queue of RabbitMQ, which the broker's default exchange leads to. The target refuses what no queue is there for.</summary>
internal sealed class RabbitTarget : DeliveryTarget
{
    private const string Queue = "orders";

    private readonly RabbitBroker _broker;

    private RabbitTarget(RabbitBroker broker)
    {
        _broker = broker;
        Proxy = CuttingProxy.Start(broker.Port);
    }

    public override string Name => "RabbitMQ";

    public override DeliveryPromise Promise { get; } = new(IsExactlyOnce: false, IsOrdered: true);

    public override CuttingProxy Proxy { get; }

    public override string Script =>
        """
            if (this.bad === 'script') throw new Error('no');
            const key = this.bad === 'sink' ? 'nowhere' : 'orders';
            loadTo('', { n: this.n }, key);
            if (this.n % 5 === 0) loadTo('', { n: this.n, part: 2 }, key);
            """;

    public override Func<Task> Restart =>
        async () =>
        {
            await _broker.StopAsync();
            await _broker.StartAgainAsync();
        };

    public override Func<Task> KillAndStart =>
        async () =>
        {
            _broker.Kill();
            await _broker.StartAgainAsync();
        };

    public static async Task<RabbitTarget> StartAsync()
    {
        var broker = await RabbitBroker.StartAsync();
        var target = new RabbitTarget(broker);
        await using var connection = await target.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(Queue, durable: true, exclusive: false, autoDelete: false);
        return target;
    }

    public override JsonObject Connection() =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "Target",
            ["BrokerType"] = "RabbitMq",
            ["RabbitMqConnectionSettings"] = new JsonObject { ["ConnectionString"] = _broker.UrlOver(Proxy.Port) },
        };

    public override JsonObject TaskMembers() => new() { ["SkipAutomaticQueueDeclaration"] = true };

    public override async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        await _broker.DisposeAsync();
    }

    protected override async Task<IReadOnlyList<Arrival>> TakeAsync()
    {
        var taken = new List<Arrival>();
        // A connection for each time, so that nothing is on its way to a consumer when the broker is killed.
        await using var connection = await ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        while (await channel.BasicGetAsync(Queue, autoAck: true) is { } message)
            taken.Add(Read(message));
        return taken;
    }

    private static Arrival Read(BasicGetResult message) =>
        new(
            Header(message, "id"),
            Header(message, "subject"),
            long.Parse(Header(message, "etag"), CultureInfo.InvariantCulture),
            Encoding.UTF8.GetString(message.Body.Span)
        );

    private static string Header(BasicGetResult message, string name) =>
        Encoding.UTF8.GetString((byte[])message.BasicProperties.Headers![$"cloudEvents:{name}"]!);

    private Task<IConnection> ConnectAsync() =>
        new ConnectionFactory { Uri = new Uri(_broker.Url), AutomaticRecoveryEnabled = false }.CreateConnectionAsync();
}

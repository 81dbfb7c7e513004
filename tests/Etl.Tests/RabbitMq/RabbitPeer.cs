using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>Another client of the broker: a consumer, and whoever declares what is there before a task.</summary>
internal sealed class RabbitPeer : IAsyncDisposable
{
    private readonly IConnection _connection;

    private RabbitPeer(IConnection connection, IChannel channel)
    {
        _connection = connection;
        Channel = channel;
    }

    public IChannel Channel { get; }

    public static async Task<RabbitPeer> ConnectAsync(RabbitBroker broker)
    {
        var connection = await new ConnectionFactory { Uri = new Uri(broker.Url) }.CreateConnectionAsync();
        return new RabbitPeer(connection, await connection.CreateChannelAsync());
    }

    public Task DeclareExchangeAsync(string name, string type = ExchangeType.Direct) =>
        Channel.ExchangeDeclareAsync(name, type, durable: true, autoDelete: false);

    public async Task DeclareQueueAsync(string name, string exchange, string routingKey, Dictionary<string, object?>? arguments = null)
    {
        await Channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, arguments);
        await Channel.QueueBindAsync(name, exchange, routingKey);
    }

    /// <summary>Takes what is in a queue, in its order, at most so many.</summary>
    public async Task<List<RabbitMessage>> TakeAsync(string queue, int atMost = int.MaxValue)
    {
        var taken = new List<RabbitMessage>();
        while (taken.Count < atMost && await Channel.BasicGetAsync(queue, autoAck: true) is { } got)
            taken.Add(new RabbitMessage(got.Exchange, got.RoutingKey, got.BasicProperties, got.Body.ToArray()));
        return taken;
    }

    public async ValueTask DisposeAsync()
    {
        await Channel.DisposeAsync();
        await _connection.DisposeAsync();
    }
}

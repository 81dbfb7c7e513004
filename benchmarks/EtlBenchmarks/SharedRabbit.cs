using Jackdaw.Bench.Frame;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The one broker of all contenders of a benchmark: started by the first that asks, ended with the last that lets go.</summary>
internal sealed class SharedRabbit
{
    private RabbitBroker? _broker;
    private int _users;

    public string Url => _broker?.Url ?? throw new InvalidOperationException("the broker was not started");

    /// <exception cref="ContenderUnavailableException">RabbitMQ is not installed.</exception>
    public async Task StartAsync()
    {
        if (BrokerAvailability.WhyNot(BrokerKind.RabbitMq) is { } reason)
            throw new ContenderUnavailableException(reason);
        _broker ??= await RabbitBroker.StartAsync();
        _users++;
    }

    public async Task LetGoAsync()
    {
        if (_broker is null || --_users > 0)
            return;
        await _broker.DisposeAsync();
        _broker = null;
    }

    /// <summary>Requires that a queue has exactly so many messages, and deletes it and the exchange of its name.</summary>
    public async Task RequireAndRemoveAsync(string name, long count, CancellationToken cancel)
    {
        await using IConnection connection = await new ConnectionFactory { Uri = new Uri(Url) }.CreateConnectionAsync(cancel);
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancel);
        long found = await channel.MessageCountAsync(name, cancel);
        await channel.QueueDeleteAsync(name, cancellationToken: cancel);
        await channel.ExchangeDeleteAsync(name, cancellationToken: cancel);
        if (found != count)
            throw new IOException($"{count} messages were confirmed, and the queue has {found}");
    }
}

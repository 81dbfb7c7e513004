using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>
/// Declares what messages need, once a connection: their exchange, a durable queue of the same name, and a binding through which
/// the queue gets all that goes to the
/// exchange; for the default exchange the queue that the routing key names. On a channel of its own: a refusal closes it, and the
/// messages under way elsewhere are none the worse.
/// </summary>
internal sealed class RabbitMqTopology(IConnection connection, RabbitMqOptions options, RabbitMqAddress address, TimeSpan timeout)
{
    private readonly HashSet<(string Exchange, string RoutingKey)> _declared = [];
    private readonly HashSet<string> _exchanges = [];
    private bool _deadLettersAreDeclared;
    private IChannel? _channel;

    /// <summary>Is there nothing left to declare for the message?</summary>
    public bool Has(OutboundMessage message) =>
        options.SkipDeclaration || RabbitMqNames.IsStandardExchange(message.Target) || _declared.Contains(Place(message));

    /// <summary>Everything is declared anew: something was deleted meanwhile.</summary>
    public void Forget()
    {
        _declared.Clear();
        _exchanges.Clear();
    }

    /// <summary>Throws <see cref="SinkException"/>.</summary>
    public async Task DeclareAsync(OutboundMessage message, CancellationToken cancellation)
    {
        var place = Place(message);
        if (_declared.Count >= EtlLimits.MaxTargetsPerTask)
            throw new SinkException(
                SinkFault.Task,
                $"The task would declare more than {EtlLimits.MaxTargetsPerTask:N0} "
                    + $"queues and bindings (fixed limit); '{place.Exchange}' "
                    + $"with the routing key '{place.RoutingKey}' is one too many."
            );
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        deadline.CancelAfter(timeout);
        string what = place.Exchange.Length > 0 ? $"the exchange '{place.Exchange}' and its queue" : $"the queue '{place.RoutingKey}'";
        try
        {
            if (
                options.DeadLetterExchange is { Length: > 0 } deadLetters
                && !_deadLettersAreDeclared
                && !await ExistsAsync(deadLetters, deadline.Token).ConfigureAwait(false)
            )
                await DeclareDeadLettersAsync(deadLetters, deadline.Token).ConfigureAwait(false);
            _deadLettersAreDeclared = true;
            var channel = await ChannelAsync(deadline.Token).ConfigureAwait(false);
            if (place.Exchange.Length > 0)
                await DeclareExchangeAsync(channel, place.Exchange, place.RoutingKey, deadline.Token).ConfigureAwait(false);
            else
                await channel
                    .QueueDeclareAsync(
                        place.RoutingKey,
                        durable: true,
                        exclusive: false,
                        autoDelete: false,
                        QueueArguments(),
                        cancellationToken: deadline.Token
                    )
                    .ConfigureAwait(false);
        }
        catch (Exception e) when (RabbitMqFaults.IsForeign(e))
        {
            cancellation.ThrowIfCancellationRequested();
            throw RabbitMqFaults.OfDeclaring(e, what, address, timeout);
        }
        _declared.Add(place);
    }

    /// <summary>What is declared for a message: the routing key matters where a binding or a queue is made for it.</summary>
    private (string Exchange, string RoutingKey) Place(OutboundMessage message)
    {
        bool isByKey = message.Target.Length == 0 || options.ExchangeType == RabbitMqExchangeType.Direct;
        return (message.Target, isByKey ? message.RoutingKey ?? "" : "");
    }

    /// <summary>The one of the last declaration, unless that was refused. It ends with the connection.</summary>
    private async Task<IChannel> ChannelAsync(CancellationToken cancellation)
    {
        if (_channel is { IsOpen: true })
            return _channel;
        if (_channel is not null)
            await _channel.DisposeAsync().ConfigureAwait(false);
        _channel = null;
        return _channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
    }

    private async Task DeclareExchangeAsync(IChannel channel, string exchange, string routingKey, CancellationToken cancellation)
    {
        string type = options.ExchangeType switch
        {
            RabbitMqExchangeType.Direct => ExchangeType.Direct,
            RabbitMqExchangeType.Topic => ExchangeType.Topic,
            RabbitMqExchangeType.Headers => ExchangeType.Headers,
            _ => ExchangeType.Fanout,
        };
        // A topic's queue gets every routing key; headers without any in the binding match all messages.
        string binding = options.ExchangeType switch
        {
            RabbitMqExchangeType.Direct => routingKey,
            RabbitMqExchangeType.Topic => "#",
            _ => "",
        };
        if (!_exchanges.Contains(exchange))
        {
            await channel
                .ExchangeDeclareAsync(exchange, type, durable: true, autoDelete: false, cancellationToken: cancellation)
                .ConfigureAwait(false);
            await channel
                .QueueDeclareAsync(
                    exchange,
                    durable: true,
                    exclusive: false,
                    autoDelete: false,
                    QueueArguments(),
                    cancellationToken: cancellation
                )
                .ConfigureAwait(false);
        }
        await channel.QueueBindAsync(exchange, exchange, binding, cancellationToken: cancellation).ConfigureAwait(false);
        _exchanges.Add(exchange);
    }

    private Dictionary<string, object?> QueueArguments()
    {
        var arguments = new Dictionary<string, object?>();
        if (options.QueueType != RabbitMqQueueType.Default)
            arguments["x-queue-type"] = options.QueueType == RabbitMqQueueType.Quorum ? "quorum" : "classic";
        if (options.DeadLetterExchange is { } deadLetters)
            arguments["x-dead-letter-exchange"] = deadLetters;
        if (options.MaxLength is { } length)
            arguments["x-max-length"] = length;
        if (options.MaxLengthBytes is { } bytes)
            arguments["x-max-length-bytes"] = bytes;
        if (options.MaxLength is not null || options.MaxLengthBytes is not null)
            arguments["x-overflow"] = options.Overflow == RabbitMqOverflow.DropHead ? "drop-head" : "reject-publish";
        return arguments;
    }

    /// <summary>A person's own exchange may be of any type.</summary>
    private async Task<bool> ExistsAsync(string exchange, CancellationToken cancellation)
    {
        await using var channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        try
        {
            await channel.ExchangeDeclarePassiveAsync(exchange, cancellation).ConfigureAwait(false);
            return true;
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason?.ReplyCode == Constants.NotFound)
        {
            return false;
        }
    }

    private async Task DeclareDeadLettersAsync(string exchange, CancellationToken cancellation)
    {
        await using var channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await channel
            .ExchangeDeclareAsync(exchange, ExchangeType.Fanout, durable: true, autoDelete: false, cancellationToken: cancellation)
            .ConfigureAwait(false);
        await channel
            .QueueDeclareAsync(exchange, durable: true, exclusive: false, autoDelete: false, cancellationToken: cancellation)
            .ConfigureAwait(false);
        await channel.QueueBindAsync(exchange, exchange, "", cancellationToken: cancellation).ConfigureAwait(false);
    }
}

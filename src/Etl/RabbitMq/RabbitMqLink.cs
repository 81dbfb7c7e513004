using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>One connection with the one channel that publishes. Once closed by anybody it stays so.</summary>
internal sealed class RabbitMqLink : IAsyncDisposable
{
    /// <summary>What the broker returns comes back whole; larger than any message that a script can make.</summary>
    private const uint MaxInboundBytes = 256 << 20;

    /// <summary>Of an orderly end; then the socket is closed.</summary>
    private static readonly TimeSpan s_closeGrace = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan s_heartbeat = TimeSpan.FromSeconds(20);

    private readonly IConnection _connection;
    private readonly IChannel _channel;
    private readonly ITcpClient _socket;
    private readonly RabbitMqTls? _tls;
    private readonly CancellationTokenSource _cut = new();
    private readonly Lock _lock = new();
    private Exception? _callbackError;
    private string? _blockedBecause;

    private RabbitMqLink(
        IConnection connection,
        IChannel channel,
        ITcpClient socket,
        RabbitMqTls? tls,
        int capacity,
        RabbitMqTopology topology
    )
    {
        _connection = connection;
        _channel = channel;
        _socket = socket;
        _tls = tls;
        Window = new ConfirmWindow(capacity);
        Topology = topology;
        channel.BasicAcksAsync += (_, told) =>
        {
            Window.Acknowledge(told.DeliveryTag, told.Multiple);
            return Task.CompletedTask;
        };
        channel.BasicNacksAsync += (_, told) => Done(() => Window.Refuse(told.DeliveryTag, told.Multiple));
        channel.BasicReturnAsync += (_, told) => Done(() => Returned(told));
        channel.CallbackExceptionAsync += (_, told) => Done(() => Disturb(() => _callbackError ??= told.Exception));
        connection.ConnectionBlockedAsync += (_, told) => Done(() => Disturb(() => _blockedBecause = told.Reason));
        connection.ConnectionUnblockedAsync += (_, _) => Done(Unblocked);
        // Called at once when it is closed already.
        channel.ChannelShutdownAsync += (_, _) => Done(() => Disturb(() => { }));
    }

    public ConfirmWindow Window { get; }

    public RabbitMqTopology Topology { get; }

    public bool IsOpen => Closing is null;

    /// <summary>What the broker says that it is, and its version.</summary>
    public string Product => $"{ServerProperty("product")} {ServerProperty("version")}";

    /// <summary>The broker's reason why it takes no messages from anybody for the moment; null when it does.</summary>
    public string? BlockedBecause
    {
        get
        {
            lock (_lock)
                return _blockedBecause;
        }
    }

    /// <summary>Why it was closed; null while it is open.</summary>
    public ShutdownEventArgs? Closing => _channel.CloseReason ?? _connection.CloseReason;

    /// <summary>Throws <see cref="SinkException"/>, or <see cref="OperationCanceledException"/> when cancelled.</summary>
    /// <param name="settings">Valid ones.</param>
    /// <param name="options">What will be declared.</param>
    /// <param name="name">What the broker shows as the connection's name.</param>
    /// <param name="capacity">Of <see cref="Window"/>.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="loadTls">A test's way to see what is loaded; null: of the settings' files.</param>
    public static async Task<RabbitMqLink> OpenAsync(
        RabbitMqSettings settings,
        RabbitMqOptions options,
        string name,
        int capacity,
        CancellationToken cancellation,
        Func<RabbitMqSettings, RabbitMqTls>? loadTls = null
    )
    {
        var address = settings.Address();
        RabbitMqTls? tls;
        try
        {
            tls = address.IsSecure ? (loadTls ?? (valid => new RabbitMqTls(valid)))(settings) : null;
        }
        catch (InvalidConfigurationException e)
        {
            // Its files were right when it was saved.
            throw new SinkException(SinkFault.Task, e.Message, e);
        }
        var factory = Factory(settings, address, tls, name);
        ITcpClient? socket = null;
        factory.SocketFactory = family => socket = ConnectionFactoryBase.DefaultSocketFactory(family);
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        deadline.CancelAfter(settings.Timeout);
        // The client's own clean-up waits for a peer that may never answer.
        await using var closing = deadline.Token.Register(() => socket?.Close());
        IConnection? connection = null;
        RabbitMqLink? link = null;
        try
        {
            connection = await factory.CreateConnectionAsync(deadline.Token).ConfigureAwait(false);
            // No tracking by the client and no limiter of its own: the window is ours.
            var channel = await connection
                .CreateChannelAsync(
                    new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
                    deadline.Token
                )
                .ConfigureAwait(false);
            return link = new RabbitMqLink(
                connection,
                channel,
                socket!,
                tls,
                capacity,
                new RabbitMqTopology(connection, options, address, settings.Timeout)
            );
        }
        catch (Exception e) when (RabbitMqFaults.IsForeign(e))
        {
            cancellation.ThrowIfCancellationRequested();
            throw RabbitMqFaults.OfOpening(e, address, settings);
        }
        finally
        {
            if (link is null)
            {
                socket?.Close();
                if (connection is not null)
                    await EndAsync(connection).ConfigureAwait(false);
                tls?.Dispose();
            }
        }
    }

    /// <summary>Writes a message that has its tag from <see cref="Window"/>; the broker's answer comes there. Errors are the
    /// client's.</summary>
    public ValueTask PublishAsync(OutboundMessage message, int attempt, ulong tag, CloudEventsMode mode) =>
        _channel.BasicPublishAsync(
            message.Target,
            message.RoutingKey ?? "",
            mandatory: true,
            RabbitMqMessage.Properties(message, attempt, tag, mode),
            RabbitMqMessage.Body(message, attempt, mode),
            _cut.Token
        );

    /// <summary>An error in what the client called: a mistake of ours, never the broker's.</summary>
    public void ThrowCallbackError()
    {
        lock (_lock)
        {
            if (_callbackError is { } error)
                throw new InvalidOperationException($"A handler of the RabbitMQ channel failed: {error.Message}", error);
        }
    }

    public async ValueTask DisposeAsync()
    {
        bool isQuiet = IsOpen && BlockedBecause is null && Window.Unanswered().Count == 0;
        if (isQuiet)
            await Task.WhenAny(_connection.AbortAsync(s_closeGrace), Task.Delay(s_closeGrace)).ConfigureAwait(false);
        // A writing that hangs would hold up the client's own end.
        await _cut.CancelAsync().ConfigureAwait(false);
        _socket.Close();
        await EndAsync(_connection).ConfigureAwait(false);
        _cut.Dispose();
        _tls?.Dispose();
    }

    private static ConnectionFactory Factory(RabbitMqSettings settings, RabbitMqAddress address, RabbitMqTls? tls, string name)
    {
        var factory = new ConnectionFactory
        {
            HostName = address.Host,
            Port = address.Port,
            UserName = address.User,
            Password = address.Password,
            VirtualHost = address.VirtualHost,
            ClientProvidedName = name,
            // Recovering would publish nothing again and hide what was lost.
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedConnectionTimeout = settings.Timeout,
            HandshakeContinuationTimeout = settings.Timeout,
            ContinuationTimeout = settings.Timeout,
            RequestedHeartbeat = s_heartbeat,
            MaxInboundMessageBodySize = MaxInboundBytes,
        };
        if (settings.AuthMechanism == RabbitMqAuthMechanism.External)
            factory.AuthMechanisms = [new ExternalMechanismFactory()];
        if (tls is not null)
            factory.Ssl = tls.Option(address.Host);
        return factory;
    }

    private static Task Done(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    /// <summary>What the client still holds; its socket is closed, and what it has to say of that is nobody's concern.</summary>
    private static async Task EndAsync(IConnection connection)
    {
        try
        {
            await connection.DisposeAsync().AsTask().WaitAsync(s_closeGrace).ConfigureAwait(false);
        }
        catch (Exception e) when (RabbitMqFaults.IsForeign(e))
        {
            // It was cut on purpose.
        }
    }

    private string ServerProperty(string name) =>
        _connection.ServerProperties?.TryGetValue(name, out object? value) == true && value is byte[] text
            ? Encoding.UTF8.GetString(text)
            : $"{name} unknown";

    private void Returned(BasicReturnEventArgs told)
    {
        ulong tag = (ulong)(long)told.BasicProperties.Headers![RabbitMqMessage.NumberHeader]!;
        Window.Return(
            tag,
            $"RabbitMQ returned it: {told.ReplyCode} {told.ReplyText} (no queue is bound "
                + $"to the exchange '{told.Exchange}' for the routing key '{told.RoutingKey}')."
        );
    }

    private void Disturb(Action note)
    {
        lock (_lock)
        {
            note();
            Window.Disturb();
        }
    }

    private void Unblocked()
    {
        lock (_lock)
        {
            _blockedBecause = null;
            if (IsOpen && _callbackError is null)
                Window.Calm();
        }
    }
}

using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl;

/// <summary>Whether a connection string is right, before a task depends on it.</summary>
public sealed partial class EtlTasks
{
    private static readonly TimeSpan s_testTime = TimeSpan.FromSeconds(20);

    /// <summary>As <see cref="TestConnectionAsync(ReadOnlyMemory{byte}, CancellationToken, bool)"/>, of a stored one.</summary>
    public Task<ConnectionTestResult> TestConnectionAsync(string name, CancellationToken cancellation)
    {
        ConnectionString? connection;
        lock (_lock)
            _connections.TryGetValue(name, out connection);
        return connection is null
            ? throw new InvalidConfigurationException($"There is no connection string named '{name}'.")
            : TestAsync(connection, cancellation);
    }

    /// <summary>
    /// Reaches the receiver, and neither declares nor sends anything. Throws <see cref="InvalidConfigurationException"/> for what
    /// is no connection string;
    /// everything else is the outcome.
    /// </summary>
    /// <param name="json">As for <see cref="PutConnectionAsync"/>; a mask in place of a secret stands for that of the stored one.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="mayBorrow">As for <see cref="PutConnectionAsync"/>.</param>
    public Task<ConnectionTestResult> TestConnectionAsync(ReadOnlyMemory<byte> json, CancellationToken cancellation, bool mayBorrow = true)
    {
        ConnectionString connection;
        lock (_lock)
            connection = ConnectionString.Parse(json.Span, name => _connections.GetValueOrDefault(name));
        if (!mayBorrow)
            connection.RequireNothingBorrowed();
        return TestAsync(connection, cancellation);
    }

    private async Task<ConnectionTestResult> TestAsync(ConnectionString connection, CancellationToken cancellation)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        giveUp.CancelAfter(s_testTime);
        try
        {
            await using var sink = Tested(connection);
            return new ConnectionTestResult(true, await sink.TestAsync(giveUp.Token).ConfigureAwait(false));
        }
        catch (Exception e) when (e is SinkException or InvalidConfigurationException)
        {
            return new ConnectionTestResult(false, e.Message);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return new ConnectionTestResult(false, $"There was no answer within {s_testTime.TotalSeconds:0} s.");
        }
    }

    private IConnectionTest Tested(ConnectionString connection) =>
        connection.BrokerType switch
        {
            BrokerType.None => new Webhook.WebhookSink(connection.Webhook(_options.Secrets), _options.Clock, _options.Targets),
            BrokerType.RabbitMq => new RabbitMq.RabbitMqSink(
                connection.RabbitMq(_options.Secrets),
                new RabbitMq.RabbitMqOptions(),
                "jackdaw connection test"
            ),
            BrokerType.Kafka => new Kafka.KafkaConnectionTest(
                new Kafka.KafkaClientConfig(
                    connection.Kafka(_options.Secrets),
                    _options.ServerCertificate,
                    Kafka.KafkaTimes.Default,
                    _options.Targets
                )
            ),
            BrokerType.AzureQueueStorage => new AzureQueues.AzureQueueSink(
                connection.AzureQueues(_options.Secrets),
                _options.Clock,
                targets: _options.Targets
            ),
            var other => throw new InvalidConfigurationException($"Connections to {other} cannot be tested yet."),
        };
}

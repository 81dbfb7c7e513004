using System.Globalization;
using RabbitMQ.Client;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The broker's own client in a loop: persistent messages, 1,000 of them unconfirmed at a time.</summary>
internal sealed class RabbitMqRawPublisher(SharedRabbit rabbit, long documents) : RawSender<SharedRabbit>(RowName, rabbit, documents)
{
    public const string RowName = "raw publisher";
    private const int MaxOutstanding = 1000;

    /// <summary>Declares too, as the server does on its way.</summary>
    protected override async Task SendAsync(string target, CancellationToken cancel)
    {
        await using IConnection connection = await new ConnectionFactory
        {
            Uri = new Uri(Broker.Url),
            AutomaticRecoveryEnabled = false,
        }.CreateConnectionAsync(cancel);
        await using IChannel channel = await connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
            cancel
        );
        await channel.ExchangeDeclareAsync(target, ExchangeType.Fanout, durable: true, cancellationToken: cancel);
        await channel.QueueDeclareAsync(target, durable: true, exclusive: false, autoDelete: false, cancellationToken: cancel);
        await channel.QueueBindAsync(target, target, "", cancellationToken: cancel);
        await PublishAsync(channel, target, cancel);
    }

    private async Task PublishAsync(IChannel channel, string target, CancellationToken cancel)
    {
        using var room = new SemaphoreSlim(MaxOutstanding);
        ulong confirmed = 0;
        channel.BasicAcksAsync += (_, ack) =>
        {
            // The broker confirms a single queue's messages in order.
            ulong upTo = Math.Max(confirmed, ack.DeliveryTag);
            if (upTo > confirmed)
                room.Release((int)(upTo - confirmed));
            confirmed = upTo;
            return Task.CompletedTask;
        };
        for (long i = 0; i < Documents; i++)
        {
            await room.WaitAsync(cancel);
            await channel.BasicPublishAsync(target, "", mandatory: true, Properties(i), Bodies.Create(i), cancel);
        }
        for (int i = 0; i < MaxOutstanding; i++)
            await room.WaitAsync(cancel);
    }

    private static BasicProperties Properties(long i)
    {
        string id = $"A:{i}-0123456789012345678901";
        string document = $"items/{i}";
        return new BasicProperties
        {
            MessageId = id,
            ContentType = "application/json",
            DeliveryMode = DeliveryModes.Persistent,
            Headers = new Dictionary<string, object?>
            {
                ["cloudEvents:specversion"] = "1.0",
                ["cloudEvents:id"] = id,
                ["cloudEvents:source"] = "urn:jackdaw:00000000-0000-0000-0000-000000000000:bench-task-1",
                ["cloudEvents:type"] = "ravendb.etl.put",
                ["cloudEvents:subject"] = document,
                ["cloudEvents:time"] = "2030-01-01T00:00:00.0000000Z",
                ["cloudEvents:partitionkey"] = document,
                ["cloudEvents:etag"] = i.ToString(CultureInfo.InvariantCulture),
                ["cloudEvents:attempt"] = 1,
                ["x-jackdaw-number"] = i,
            },
        };
    }
}

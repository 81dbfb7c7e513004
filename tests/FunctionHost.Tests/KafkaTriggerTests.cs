using System.Text;
using System.Text.Json;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>Topics of Kafka: batches, offsets that are committed after failures too, and retry policies.</summary>
[Trait("Category", "Slow")]
public sealed class KafkaTriggerTests(KafkaFixture fixture) : IClassFixture<KafkaFixture>, IAsyncLifetime
{
    private readonly string _topic = $"orders-{Guid.NewGuid()}";
    private readonly string _group = $"functions-{Guid.NewGuid()}";
    private KafkaBroker? _kafka;
    private TestApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await TestApp.CreateAsync();
        _kafka = fixture.Broker;
        if (_kafka is null)
            return;
        _app.Set("Kafka", _kafka.BootstrapServers);
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = _kafka.BootstrapServers }).Build();
        await admin.CreateTopicsAsync([
            new TopicSpecification
            {
                Name = _topic,
                NumPartitions = 1,
                ReplicationFactor = 1,
            },
        ]);
    }

    public async Task DisposeAsync() => await _app.DisposeAsync();

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Batches_arrive_as_arrays_and_their_offset_is_committed_although_the_function_failed()
    {
        _app.WriteHostFile("""{"kafka":{"maxBatchSize":4}}""");
        WriteFunction(
            """
            "cardinality":"many","dataType":"binary"
            """
        );
        _app.Answer = _ => Task.FromResult(Reply.Failed);
        await ProduceAsync(10);
        await _app.StartAsync();
        await UntilCommittedAsync(10);
        Assert.Equal(Enumerable.Range(0, 10).Select(Text), _app.Calls.SelectMany(call => Batch(call)));
        Assert.All(_app.Calls, call => Assert.InRange(Batch(call).Count, 1, 4));
        Assert.Equal(
            JsonSerializer.Serialize(Enumerable.Repeat(_topic, 4)),
            _app.Calls.First().Metadata.GetProperty("TopicArray").GetString()
        );
        Assert.Equal("[0,1,2,3]", _app.Calls.First().Metadata.GetProperty("OffsetArray").GetString());
        // Nothing is tried again, neither now nor by the next host.
        await _app.StopAsync();
        _app.Calls.Clear();
        await ProduceAsync(1);
        await _app.StartAsync();
        await UntilCommittedAsync(11);
        Assert.Single(_app.Calls);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_retry_policy_without_end_holds_the_offset_until_the_function_succeeds()
    {
        WriteFunction(
            """
            "cardinality":"many","dataType":"binary"
            """,
            ""","retry":{"strategy":"fixedDelay","maxRetryCount":-1,"delayInterval":"00:00:00.01"}"""
        );
        _app.Answer = _ => Task.FromResult(Reply.Failed);
        await ProduceAsync(3);
        await _app.StartAsync();
        await Eventually.IsAsync(() => _app.Calls.Count > 6);
        Assert.Equal(Offset.Unset.Value, Committed());
        // A host that stops meanwhile leaves the messages to the next one.
        await _app.StopAsync();
        Assert.Equal(Offset.Unset.Value, Committed());
        _app.Calls.Clear();
        _app.Answer = _ => Task.FromResult(_app.Calls.Count < 3 ? Reply.Failed : Reply.Ok);
        await _app.StartAsync();
        await UntilCommittedAsync(3);
        Assert.Equal(3, _app.Calls.Count);
        var retry = _app.Calls.Last().Metadata.GetProperty("RetryContext");
        Assert.Equal((2, -1), (retry.GetProperty("RetryCount").GetInt32(), retry.GetProperty("MaxRetryCount").GetInt32()));
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_retry_policy_with_an_end_gives_the_messages_up_then()
    {
        WriteFunction(
            """
            "cardinality":"many"
            """,
            ""","retry":{"strategy":"exponentialBackoff","maxRetryCount":2,"minimumInterval":"00:00:00.01","maximumInterval":"00:00:01"}"""
        );
        _app.Answer = _ => Task.FromResult(Reply.Failed);
        await ProduceAsync(1);
        await _app.StartAsync();
        await UntilCommittedAsync(1);
        Assert.Equal(3, _app.Calls.Count);
        // Texts come with everything that the message has.
        var message = JsonSerializer.Deserialize<JsonElement>(
            JsonSerializer.Deserialize<string[]>(_app.Calls.Last().Data.GetProperty("items").GetString()!)!.Single()
        );
        Assert.Equal(Text(0), message.GetProperty("Value").GetString());
        Assert.Equal("key", message.GetProperty("Key").GetString());
        Assert.Equal("head"u8.ToArray(), message.GetProperty("Headers")[0].GetProperty("Value").GetBytesFromBase64());
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Without_batches_each_message_is_an_invocation()
    {
        WriteFunction(
            """
            "dataType":"binary"
            """
        );
        await ProduceAsync(3);
        await _app.StartAsync();
        await UntilCommittedAsync(3);
        Assert.Equal(
            Enumerable.Range(0, 3).Select(Text),
            _app.Calls.Select(call => Encoding.UTF8.GetString(call.Data.GetProperty("items").GetBytesFromBase64()))
        );
        Assert.Equal(["0", "1", "2"], _app.Calls.Select(call => call.Metadata.GetProperty("Offset").GetString()));
    }

    private static string Text(int n) => $"message {n}";

    private static IReadOnlyList<string> Batch(Call call) =>
        [
            .. JsonSerializer
                .Deserialize<string[]>(call.Data.GetProperty("items").GetString()!)!
                .Select(one => Encoding.UTF8.GetString(Convert.FromBase64String(one))),
        ];

    private void WriteFunction(string members, string retry = "") =>
        _app.WriteFunction(
            "FromKafka",
            $$"""
            {"bindings":[{"name":"items","type":"kafkaTrigger","direction":"in","topic":"{{_topic}}","brokerList":"Kafka","consumerGroup":"{{_group}}",
              {{members}} }]{{retry}}}
            """
        );

    private async Task ProduceAsync(int count)
    {
        using var producer = new ProducerBuilder<string, string>(
            new ProducerConfig { BootstrapServers = _kafka!.BootstrapServers, EnableIdempotence = true }
        ).Build();
        for (var i = 0; i < count; i++)
            await producer.ProduceAsync(
                _topic,
                new Message<string, string>
                {
                    Key = "key",
                    Value = Text(i),
                    Headers = [new Header("name", "head"u8.ToArray())],
                }
            );
    }

    private Task UntilCommittedAsync(long offset) => Eventually.IsAsync(() => Committed() == offset);

    private long Committed()
    {
        using var consumer = new ConsumerBuilder<Ignore, Ignore>(
            new ConsumerConfig { BootstrapServers = _kafka!.BootstrapServers, GroupId = _group }
        ).Build();
        return consumer.Committed([new TopicPartition(_topic, 0)], Eventually.Patience).Single().Offset.Value;
    }
}

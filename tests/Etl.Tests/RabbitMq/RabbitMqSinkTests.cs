using System.Text;
using Jackdaw.Brokers;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.RabbitMq;
using Jackdaw.Etl.Sinks;
using RabbitMQ.Client;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>What arrives, where, and in which order, while nothing goes wrong at the broker.</summary>
[Collection(RabbitCollection.Name)]
[Trait("Category", "Slow")]
public class RabbitMqSinkTests(RabbitFixture fixture)
{
    private static string Transform(string routingKey) => $"loadTo('TARGET', this, {routingKey});";

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_document_arrives_in_the_queue_of_its_exchange_with_its_attributes_as_headers()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        string changeVector = await test.Scene.PutAsync("orders/1", """{"name":"Ödön \"the\" 2nd","n":12.5}""");
        await test.StartAsync(
            "loadTo('TARGET', this, { DataSchema: 'urn:s' }); loadTo('TARGET', "
                + "{ second: true }, { Id: 'x'.repeat(300), Type: 't', Source: 's', "
                + "Subject: 'u', PartitionKey: 'p', Time: '2030-05-06T07:08:09Z' });"
        );
        test.RunToIdle();
        var got = await test.Peer.TakeAsync(test.Target);
        Assert.Equal(2, got.Count);
        string[] names = ["specversion", "id", "source", "type", "subject", "partitionkey", "dataschema", "etag", "databaseid", "attempt"];
        Assert.Equal(
            [
                "1.0",
                changeVector,
                "https://shop.example/databases/shop/Orders%20out",
                "ravendb.etl.put",
                "orders/1",
                "orders/1",
                "urn:s",
                "1",
                test.Scene.Database.IdText,
                "1",
            ],
            names.Select(name => got[0].Header("cloudEvents:" + name))
        );
        Assert.EndsWith("Z", got[0].Header("cloudEvents:time"), StringComparison.Ordinal);
        Assert.Equal(
            (changeVector, "application/json", DeliveryModes.Persistent),
            (got[0].Id, got[0].Properties.ContentType, got[0].Properties.DeliveryMode)
        );
        Assert.Equal("""{"name":"Ödön \"the\" 2nd","n":12.5}""", Encoding.UTF8.GetString(got[0].Body));
        Assert.Equal((test.Target, ""), (got[0].Exchange, got[0].RoutingKey));
        Assert.Equal(
            ["1.0", new string('x', 300), "s", "t", "u", "p", null, "1", test.Scene.Database.IdText, "1"],
            names.Select(name => got[1].Header("cloudEvents:" + name))
        );
        Assert.Equal("2030-05-06T07:08:09.0000000Z", got[1].Header("cloudEvents:time"));
        // AMQP keeps 255 bytes for the property; consumers still recognise a duplicate by it.
        Assert.StartsWith("sha256-", got[1].Id, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_task_that_says_so_publishes_whole_events_as_its_bodies_deletions_too()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        string changeVector = await test.Scene.PutAsync("orders/1", """{"name":"Ödön","n":12.5}""");
        await test.StartAsync(
            "loadTo('TARGET', this, { Id: 'x'.repeat(300) }); loadTo('TARGET', this); function deleted(id) { loadTo('TARGET', { gone: id }); }",
            new RabbitMqOptions { CloudEventsMode = CloudEventsMode.Structured },
            publishDeletes: true
        );
        test.RunToIdle();
        await test.Scene.DeleteAsync("orders/1");
        test.RunToIdle();
        var got = await test.Peer.TakeAsync(test.Target);
        Assert.Equal(3, got.Count);
        Assert.All(got, message => Assert.Equal("application/cloudevents+json; charset=UTF-8", message.Properties.ContentType));
        Assert.All(got, message => Assert.DoesNotContain(message.Properties.Headers!, header => header.Key.StartsWith("cloudEvents:")));
        Assert.All(got, message => Assert.Equal(test.Scene.Database.IdText, message.Json.GetProperty("databaseid").GetString()));
        Assert.Equal(
            ("Ödön", test.Target, $"{changeVector}#All/2"),
            (
                got[1].Json.GetProperty("data").GetProperty("name").GetString(),
                got[1].Json.GetProperty("target").GetString(),
                got[1].Json.GetProperty("id").GetString()
            )
        );
        Assert.Equal($"{changeVector}#All/2", got[1].Id);
        Assert.StartsWith("sha256-", got[0].Id, StringComparison.Ordinal);
        Assert.Equal("orders/1", got[2].Json.GetProperty("data").GetProperty("gone").GetString());
        Assert.Equal("ravendb.etl.delete", got[2].Json.GetProperty("type").GetString());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task The_default_exchange_reaches_the_queue_that_the_routing_key_names()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 6, keys: 2);
        await test.StartAsync("loadTo('', this, 'TARGET-' + this.k);");
        test.RunToIdle();
        Assert.Equal(
            [0, 2, 4],
            (await test.Peer.TakeAsync(test.Target + "-k0")).Select(message => message.Json.GetProperty("n").GetInt32())
        );
        Assert.Equal(3, (await test.Peer.TakeAsync(test.Target + "-k1")).Count);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_deletion_is_an_event_without_data()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Scene.PutAsync("orders/1", "{}");
        await test.Scene.DeleteAsync("orders/1");
        var transform = Scene.Transform($"loadTo('{test.Target}', this);") with { PublishDeletes = true };
        await test.Scene.StartAsync(
            Scene.Configuration(transform),
            new RabbitMqSink(new RabbitMqSettings { ConnectionString = test.Broker.Url }, new RabbitMqOptions(), "test")
        );
        test.RunToIdle();
        var got = Assert.Single(await test.Peer.TakeAsync(test.Target));
        Assert.Equal(
            ("ravendb.etl.delete", 0, false),
            (got.Header("cloudEvents:type"), got.Body.Length, got.Properties.IsContentTypePresent())
        );
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_change_that_was_begun_is_published_whole_when_the_task_is_closed()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        // Two messages a change.
        var messages = new WatchedMessages([
            .. Enumerable
                .Range(0, 6)
                .Select(i => new OutboundMessage
                {
                    Target = test.Target,
                    Event = new CloudEvent
                    {
                        Id = $"{i}",
                        Source = "s",
                        Type = "t",
                        Subject = "s",
                        Time = "2030-05-06T07:08:09Z",
                        PartitionKey = "p",
                        DatabaseId = null,
                    },
                    Data = "{}"u8.ToArray(),
                    Origin = new ChangeOrigin($"{i / 2}", "Orders", "v", (i / 2) + 1, IsDeletion: false),
                    Number = (i % 2) + 1,
                    IsOrderedByRoute = true,
                }),
        ]);
        var delivery = new Delivery(messages);
        messages.IsTaken = index =>
        {
            if (index == 2)
                delivery.Stop();
        };
        await using var sink = new RabbitMqSink(new RabbitMqSettings { ConnectionString = test.Broker.Url }, new RabbitMqOptions(), "test");
        await sink.OpenAsync(CancellationToken.None);
        await sink.DeliverAsync(delivery, CancellationToken.None);
        Assert.Equal((4, 4), (delivery.SettledCount, delivery.SettledPrefix));
        Assert.Equal(4, (await test.Peer.TakeAsync(test.Target)).Count);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task Each_message_arrives_once_and_the_order_of_a_routing_key_is_that_of_the_changes()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 3000);
        await test.StartAsync(Transform("this.k"), new RabbitMqOptions { ExchangeType = RabbitMqExchangeType.Direct });
        test.RunToIdle();
        var got = await test.Peer.TakeAsync(test.Target);
        Assert.Equal(0, RabbitOracle.Check(got, 3000));
        Assert.Equal(5, got.Select(message => message.RoutingKey).Distinct().Count());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task The_queue_of_a_topic_exchange_gets_every_routing_key()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 10);
        await test.StartAsync(Transform("'a.' + this.k"), new RabbitMqOptions { ExchangeType = RabbitMqExchangeType.Topic });
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 10));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_queue_is_declared_as_the_task_says()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        string deadLetters = test.Target + "-dead";
        await test.PutAsync(0, 3);
        await test.StartAsync(
            options: new RabbitMqOptions
            {
                QueueType = RabbitMqQueueType.Quorum,
                DeadLetterExchange = deadLetters,
                MaxLength = 100,
                MaxLengthBytes = 1_000_000,
            }
        );
        test.RunToIdle();
        // The broker refuses a declaration that differs in any argument.
        await test.Peer.Channel.QueueDeclareAsync(
            test.Target,
            durable: true,
            exclusive: false,
            autoDelete: false,
            new Dictionary<string, object?>
            {
                ["x-queue-type"] = "quorum",
                ["x-dead-letter-exchange"] = deadLetters,
                ["x-max-length"] = 100L,
                ["x-max-length-bytes"] = 1_000_000L,
                ["x-overflow"] = "reject-publish",
            }
        );
        var got = (await test.Peer.Channel.BasicGetAsync(test.Target, autoAck: false))!;
        await test.Peer.Channel.BasicRejectAsync(got.DeliveryTag, requeue: false);
        await Eventually.IsAsync(async () => await test.Peer.Channel.MessageCountAsync(deadLetters) != 0);
        Assert.Equal(got.BasicProperties.MessageId, Assert.Single(await test.Peer.TakeAsync(deadLetters)).Id);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_message_that_no_queue_gets_is_a_dead_letter_and_the_others_go_on_in_order()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Peer.DeclareExchangeAsync(test.Target);
        foreach (string key in new[] { "k0", "k1", "k3", "k4" })
            await test.Peer.DeclareQueueAsync(test.Target, test.Target, key);
        await test.PutAsync(0, 500);
        // Two messages of one id: only the one that is returned may be buried.
        await test.StartAsync(
            "loadTo('TARGET', this, this.k, { Id: id() }); if (this.n === 0) loadTo('TARGET', this, 'k2', { Id: id() });",
            new RabbitMqOptions { SkipDeclaration = true }
        );
        test.RunToIdle();
        string[] letters = test.Scene.DeadLetters();
        Assert.Equal(101, letters.Length);
        Assert.All(letters, letter => Assert.Contains("312 NO_ROUTE", letter, StringComparison.Ordinal));
        Assert.All(letters, letter => Assert.Contains("\"RoutingKey\":\"k2\"", letter, StringComparison.Ordinal));
        int[] got = (await test.Peer.TakeAsync(test.Target)).Select(message => message.Json.GetProperty("n").GetInt32()).ToArray();
        Assert.Equal(Enumerable.Range(0, 500).Where(n => n % 5 != 2), got);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task Names_that_the_broker_forbids_are_dead_letters_that_say_so()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Scene.PutAsync("orders/1", """{"to":["amq.nope", "E", "", "R", "Q"]}""");
        await test.StartAsync(
            """
            for (const to of this.to)
                if (to === 'E') loadTo('e'.repeat(256), {});
                else if (to === 'R') loadTo('TARGET', {}, 'ö'.repeat(128));
                else if (to === 'Q') loadTo('', {}, 'amq.mine');
                else loadTo(to, {});
            loadTo('TARGET', { n: 1 });
            """
        );
        test.RunToIdle();
        string letters = string.Join('\n', test.Scene.DeadLetters());
        Assert.Equal(5, test.Scene.DeadLetters().Length);
        foreach (
            string words in new[]
            {
                "'amq.nope' begins with 'amq.'",
                "has 256 bytes, over RabbitMQ's limit of 255",
                "needs a routing key",
                "the routing key",
                "the queue name 'amq.mine' begins",
            }
        )
            Assert.Contains(words.Replace("'", "\\u0027", StringComparison.Ordinal), letters, StringComparison.Ordinal);
        Assert.Single(await test.Peer.TakeAsync(test.Target));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_connection_is_tested_without_leaving_anything()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await using var tasks = EtlTasks.Open(test.Scene.Database, new Scripting.ScriptEngine(), new EtlOptions());
        foreach (var (password, words) in new[] { ("guest", "RabbitMQ 3."), ("wrong", "refuses the user 'guest'") })
        {
            string url = $"amqp://guest:{password}@127.0.0.1:{test.Broker.Port}/";
            var result = await tasks.TestConnectionAsync(
                Encoding.UTF8.GetBytes(
                    $$$"""{"Type":"Queue","Name":"r","BrokerType":"RabbitMq","RabbitMqConnectionSettings":{"ConnectionString":"{{{url}}}"}}"""
                ),
                default
            );
            Assert.Equal(password == "guest", result.Success);
            Assert.Contains(words, $"{result}", StringComparison.Ordinal);
        }
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task The_brokers_own_exchanges_can_be_published_to()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Peer.DeclareQueueAsync(test.Target, "amq.topic", test.Target + ".*");
        await test.PutAsync(0, 3);
        await test.StartAsync("loadTo('amq.topic', this, 'TARGET.' + this.k);");
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3));
    }

    /// <summary>Tells when a message is taken in hand.</summary>
    private sealed class WatchedMessages(OutboundMessage[] messages) : IReadOnlyList<OutboundMessage>
    {
        public Action<int>? IsTaken { get; set; }

        public int Count => messages.Length;

        public OutboundMessage this[int index]
        {
            get
            {
                IsTaken?.Invoke(index);
                return messages[index];
            }
        }

        public IEnumerator<OutboundMessage> GetEnumerator() => ((IEnumerable<OutboundMessage>)messages).GetEnumerator();

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => messages.GetEnumerator();
    }
}

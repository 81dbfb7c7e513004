using Jackdaw.Brokers;
using Jackdaw.Etl.RabbitMq;
using RabbitMQ.Client;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>The rows of docs/etl-errors.md, against a real broker.</summary>
[Collection(RabbitCollection.Name)]
[Trait("Category", "Slow")]
public class RabbitMqFaultTests(RabbitFixture fixture)
{
    [BrokerTheory(BrokerKind.RabbitMq)]
    [InlineData("amqp://guest:wrong@127.0.0.1:PORT/", EtlTaskState.Stopped, "refuses the user 'guest'", "ACCESS_REFUSED")]
    [InlineData("amqp://guest:guest@127.0.0.1:PORT/nope", EtlTaskState.Stopped, "530 NOT_ALLOWED", "vhost nope not found")]
    [InlineData("amqps://guest:guest@127.0.0.1:PORT/", EtlTaskState.Stopped, "No secure connection", "")]
    [InlineData("amqp://guest:guest@127.0.0.1:1/", EtlTaskState.Waiting, "cannot be reached", "Connection refused")]
    [InlineData("amqp://guest:guest@nobody.invalid/", EtlTaskState.Waiting, "cannot be reached", "")]
    public async Task A_connection_that_cannot_be_opened_is_the_fault_of_task_or_sink(
        string url,
        EtlTaskState state,
        string words,
        string more
    )
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 1);
        url = url.Replace("PORT", $"{test.Broker.Port}", StringComparison.Ordinal);
        await test.StartAsync(settings: new RabbitMqSettings { ConnectionString = url });
        test.RunUntil(state);
        Assert.Contains(words, test.Reason, StringComparison.Ordinal);
        Assert.Contains(more, test.Reason, StringComparison.Ordinal);
        Assert.DoesNotContain("wrong", test.Reason, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_user_without_rights_stops_the_task_with_the_brokers_words()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Broker.ControlAsync("add_user", "reader", "hush");
        await test.Broker.ControlAsync("set_permissions", "reader", "^$", "^$", ".*");
        await test.PutAsync(0, 1);
        var settings = new RabbitMqSettings { ConnectionString = $"amqp://reader:hush@127.0.0.1:{test.Broker.Port}/" };
        await test.StartAsync(settings: settings);
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("refuses to declare the exchange", test.Reason, StringComparison.Ordinal);
        Assert.Contains("403 ACCESS_REFUSED", test.Reason, StringComparison.Ordinal);
        await test.Peer.DeclareExchangeAsync(test.Target);
        await test.StartAsync(options: new RabbitMqOptions { SkipDeclaration = true }, settings: settings);
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("closed the channel: 403 ACCESS_REFUSED", test.Reason, StringComparison.Ordinal);
        Assert.Equal(0, test.Scene.StoredPosition());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task An_exchange_of_another_type_stops_the_task_in_the_brokers_words_and_is_sent_to_once_it_is_gone()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Peer.DeclareExchangeAsync(test.Target);
        await test.PutAsync(0, 10);
        // What goes elsewhere meanwhile is not sent twice.
        await test.StartAsync("if (this.n < 5) loadTo('TARGET-other', this); else loadTo('TARGET', this);");
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("inequivalent arg 'type' for exchange", test.Reason, StringComparison.Ordinal);
        Assert.Equal(5, test.Scene.StoredPosition());
        await test.Peer.Channel.ExchangeDeleteAsync(test.Target);
        test.Scene.Task.Resume();
        test.RunToIdle();
        Assert.Equal([5, 6, 7, 8, 9], (await test.Peer.TakeAsync(test.Target)).Select(message => message.Json.GetProperty("n").GetInt32()));
        Assert.Equal(
            [0, 1, 2, 3, 4],
            (await test.Peer.TakeAsync(test.Target + "-other")).Select(message => message.Json.GetProperty("n").GetInt32())
        );
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_queue_that_belongs_to_another_connection_stops_the_task()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Peer.Channel.QueueDeclareAsync(test.Target, durable: false, exclusive: true, autoDelete: false);
        await test.PutAsync(0, 1);
        await test.StartAsync();
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("405 RESOURCE_LOCKED", test.Reason, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_limit_of_connections_is_waited_for()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Broker.ControlAsync("set_vhost_limits", "-p", "/", """{"max-connections": 0}""");
        try
        {
            await test.PutAsync(0, 3);
            await test.StartAsync();
            test.RunUntil(EtlTaskState.Waiting);
            Assert.Contains("530 NOT_ALLOWED", test.Reason, StringComparison.Ordinal);
            Assert.Contains("limit", test.Reason, StringComparison.Ordinal);
        }
        finally
        {
            await test.Broker.ControlAsync("clear_vhost_limits", "-p", "/");
        }
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task More_bindings_than_the_limit_stop_the_task()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, EtlLimits.MaxTargetsPerTask + 1, keys: int.MaxValue);
        await test.StartAsync("loadTo('TARGET', this, this.k);", new RabbitMqOptions { ExchangeType = RabbitMqExchangeType.Direct });
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("more than 1,000 queues and bindings", test.Reason, StringComparison.Ordinal);
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), EtlLimits.MaxTargetsPerTask));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task An_exchange_that_is_missing_stops_a_task_that_declares_nothing()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 100);
        await test.StartAsync(options: new RabbitMqOptions { SkipDeclaration = true });
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains($"404 NOT_FOUND - no exchange '{test.Target}'", test.Reason, StringComparison.Ordinal);
        await test.Peer.DeclareExchangeAsync(test.Target, ExchangeType.Fanout);
        await test.Peer.DeclareQueueAsync(test.Target, test.Target, "");
        test.Scene.Task.Resume();
        test.RunToIdle();
        RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 100);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task An_exchange_that_was_deleted_is_declared_anew()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 10, keys: 1);
        await test.StartAsync("loadTo('TARGET', this, this.k);", new RabbitMqOptions { ExchangeType = RabbitMqExchangeType.Direct });
        test.RunToIdle();
        await test.Peer.Channel.ExchangeDeleteAsync(test.Target);
        await test.PutAsync(10, 10, keys: 1);
        test.RunUntil(EtlTaskState.Waiting);
        test.RunToIdle();
        // Now the binding of a new routing key is the first to find it missing.
        await test.Peer.Channel.ExchangeDeleteAsync(test.Target);
        await test.Scene.PutAsync("orders/20", """{"n":20,"k":"new"}""");
        test.RunUntil(EtlTaskState.Waiting);
        test.RunToIdle();
        RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 21);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_message_over_the_brokers_limit_is_a_dead_letter_and_those_around_it_arrive()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.Broker.ControlAsync("eval", "application:set_env(rabbit, max_message_size, 20000).");
        try
        {
            await test.PutAsync(0, 50);
            await test.Scene.PutAsync("big/1", "{\"big\":true}");
            await test.Scene.PutAsync("big/2", "{\"big\":true}");
            await test.PutAsync(50, 50);
            await test.StartAsync("loadTo('TARGET', this.big ? { text: 'x'.repeat(30000) } : this);");
            test.RunToIdle();
            string[] letters = test.Scene.DeadLetters();
            Assert.Equal(
                ["big/1", "big/2"],
                letters.Select(letter => System.Text.Json.JsonDocument.Parse(letter).RootElement.GetProperty("DocumentId").GetString())
            );
            Assert.All(letters, letter => Assert.Contains("is larger than configured max size", letter, StringComparison.Ordinal));
            RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 100);
        }
        finally
        {
            await test.Broker.ControlAsync("eval", "application:set_env(rabbit, max_message_size, 134217728).");
        }
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_queue_at_its_limit_is_waited_for()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 300);
        await test.StartAsync(
            "loadTo('TARGET', this, this.k);",
            new RabbitMqOptions { ExchangeType = RabbitMqExchangeType.Direct, MaxLength = 40 }
        );
        test.RunUntil(EtlTaskState.Waiting);
        Assert.Contains("refused", test.Reason, StringComparison.Ordinal);
        var got = new List<RabbitMessage>();
        for (int round = 0; test.State != EtlTaskState.Idle; round++)
        {
            Assert.True(round < 200, $"After {got.Count} messages: {test.Scene.Task.Status()}");
            got.AddRange(await test.Peer.TakeAsync(test.Target, atMost: 30));
            test.Scene.Clock.Advance(TimeSpan.FromMinutes(1));
            test.Scene.Task.RunStep();
            test.RunUntil(() => test.State is EtlTaskState.Waiting or EtlTaskState.Idle, "it waits or is done");
        }
        got.AddRange(await test.Peer.TakeAsync(test.Target));
        RabbitOracle.Check(got, 300, wereSomeRefused: true);
        Assert.Empty(test.Scene.DeadLetters());
        Assert.Equal(300, test.Scene.StoredPosition());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_broker_that_is_out_of_memory_is_waited_for_and_gets_nothing_twice()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 10);
        await test.StartAsync();
        test.RunToIdle();
        await test.Broker.ControlAsync("set_vm_memory_high_watermark", "0");
        try
        {
            await test.PutAsync(10, 2000);
            test.RunUntil(() => test.Reason.Contains("blocked whoever publishes", StringComparison.Ordinal), "it says that it is blocked");
            Assert.Equal(EtlTaskState.Waiting, test.State);
            for (int i = 0; i < 20; i++)
            {
                test.Scene.Clock.Advance(test.Scene.Task.RunStep());
                Assert.Equal(EtlTaskState.Waiting, test.State);
            }
        }
        finally
        {
            await test.Broker.ControlAsync("set_vm_memory_high_watermark", "0.4");
        }
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 2010));
    }
}

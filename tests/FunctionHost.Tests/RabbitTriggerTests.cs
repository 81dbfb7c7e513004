using System.Text;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>Queues of RabbitMQ: publishing again at the back, with a count, and rejection at the fifth failure.</summary>
[Trait("Category", "Slow")]
public sealed class RabbitTriggerTests : IAsyncLifetime
{
    private const string Queue = "orders";
    private const string Letters = "letters";

    private RabbitBroker? _rabbit;
    private TestApp _app = null!;
    private IConnection? _connection;
    private IChannel _channel = null!;

    public async Task InitializeAsync()
    {
        _app = await TestApp.CreateAsync();
        if (BrokerAvailability.WhyNot(BrokerKind.RabbitMq) is not null && !BrokerAvailability.AreRequired)
            return;
        _rabbit = await RabbitBroker.StartAsync();
        _connection = await new ConnectionFactory { Uri = new Uri(_rabbit.Url) }.CreateConnectionAsync();
        _channel = await _connection.CreateChannelAsync();
        await _channel.QueueDeclareAsync(Letters, durable: true, exclusive: false, autoDelete: false);
        await _channel.QueueDeclareAsync(
            Queue,
            durable: true,
            exclusive: false,
            autoDelete: false,
            new Dictionary<string, object?> { ["x-dead-letter-exchange"] = "", ["x-dead-letter-routing-key"] = Letters }
        );
        _app.Set("Rabbit", _rabbit.Url);
        _app.WriteFunction(
            "FromRabbit",
            $$"""{"bindings":[{"name":"item","type":"rabbitMQTrigger","direction":"in","queueName":"{{Queue}}","connectionStringSetting":"Rabbit"}]}"""
        );
    }

    public async Task DisposeAsync()
    {
        await _app.DisposeAsync();
        if (_connection is not null)
            await _connection.DisposeAsync();
        if (_rabbit is not null)
            await _rabbit.DisposeAsync();
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_message_that_fails_goes_to_the_back_and_is_rejected_at_the_fifth_failure()
    {
        _app.WriteHostFile("""{"rabbitMQ":{"prefetchCount":1}}""");
        _app.Answer = call =>
            Task.FromResult(
                Call.Decoded(call.Data.GetProperty("item")).Contains("bad", StringComparison.Ordinal) ? Reply.Failed : Reply.Ok
            );
        await PublishAsync("""{"bad":true}""");
        await PublishAsync("good");
        await _app.StartAsync();
        await Eventually.IsAsync(async () => await _channel.MessageCountAsync(Letters) == 1);
        var letter = (await _channel.BasicGetAsync(Letters, autoAck: true))!;
        Assert.Equal("""{"bad":true}""", Encoding.UTF8.GetString(letter.Body.Span));
        Assert.Equal(4, letter.BasicProperties.Headers!["x-ms-rabbitmq-requeuecount"]);
        Assert.Equal("kept", letter.BasicProperties.CorrelationId);
        string[] expected = ["""{"bad":true}""", "good", .. Enumerable.Repeat("""{"bad":true}""", 4)];
        Assert.Equal(expected, _app.Calls.Select(call => Call.Decoded(call.Data.GetProperty("item"))));
        Assert.Equal("\"orders\"", _app.Calls.First().Metadata.GetProperty("RoutingKey").GetString());
        Assert.Equal(0u, await _channel.MessageCountAsync(Queue));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task What_is_under_way_when_the_connection_is_cut_comes_again()
    {
        await using var proxy = CuttingProxy.Start(_rabbit!.Port);
        _app.Set("Rabbit", _rabbit.UrlOver(proxy.Port));
        var released = new TaskCompletionSource();
        _app.Answer = async _ =>
        {
            await released.Task;
            return Reply.Ok;
        };
        await PublishAsync("one");
        await _app.StartAsync();
        await Eventually.IsAsync(() => !_app.Calls.IsEmpty);
        proxy.CutAll();
        released.SetResult();
        await Eventually.IsAsync(() => _app.Calls.Count >= 2);
        Assert.Equal("true", _app.Calls.Last().Metadata.GetProperty("Redelivered").GetString());
        await Eventually.IsAsync(async () => await _channel.MessageCountAsync(Queue) == 0);
    }

    private ValueTask PublishAsync(string message) =>
        _channel.BasicPublishAsync(
            "",
            Queue,
            mandatory: true,
            new BasicProperties { Persistent = true, CorrelationId = "kept" },
            Encoding.UTF8.GetBytes(message)
        );
}

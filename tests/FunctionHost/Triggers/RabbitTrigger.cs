using System.Globalization;
using Jackdaw.FunctionHost.Apps;
using Jackdaw.FunctionHost.Invoking;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Jackdaw.FunctionHost.Triggers;

/// <summary>
/// RabbitMQ's trigger. A message whose function failed is published again at the back of its queue, with a count in a header; at the fifth
/// failure it is rejected, and lost unless its queue has a dead-letter exchange. Documentation: "RabbitMQ trigger for Azure Functions".
/// </summary>
internal sealed class RabbitTrigger(Function function, ushort prefetchCount, HostOptions host, Invoker invoker, HostLog log) : ITrigger
{
    /// <summary>The header that counts.</summary>
    internal const string CountHeader = "x-ms-rabbitmq-requeuecount";

    private int _running;

    /// <inheritdoc/>
    public async Task RunAsync(CancellationToken intake, CancellationToken stop)
    {
        while (!intake.IsCancellationRequested)
        {
            try
            {
                await invoker.HandlerAsync(intake);
                await ConsumeAsync(intake, stop);
            }
            catch (OperationCanceledException) when (intake.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e) when (IsOfBroker(e, intake))
            {
                log.Say(
                    $"Functions.{function.Name}: the queue '{function.Trigger.Source}' cannot be read: {e.Message.ReplaceLineEndings(" ")}"
                );
            }
            await Task.Delay(HostLimits.ReconnectPause, intake).ContinueWith(_ => { }, TaskScheduler.Default);
        }
    }

    /// <summary>Consumes on one connection, until it ends.</summary>
    private async Task ConsumeAsync(CancellationToken intake, CancellationToken stop)
    {
        var factory = new ConnectionFactory
        {
            Uri = new Uri(function.Trigger.Connection),
            AutomaticRecoveryEnabled = false,
            ConsumerDispatchConcurrency = prefetchCount,
        };
        await using var connection = await factory.CreateConnectionAsync(intake);
        await using var channel = await connection.CreateChannelAsync(cancellationToken: intake);
        await channel.BasicQosAsync(0, prefetchCount, global: false, intake);
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        channel.ChannelShutdownAsync += (_, _) =>
        {
            ended.TrySetResult();
            return Task.CompletedTask;
        };
        var consumer = new AsyncEventingBasicConsumer(channel);
        // A message that cannot be settled comes again when the connection ends, and not before.
        consumer.ReceivedAsync += async (_, message) =>
        {
            if (!await IsSettledAsync(channel, message, stop))
                ended.TrySetResult();
        };
        var tag = await channel.BasicConsumeAsync(function.Trigger.Source, autoAck: false, consumer, intake);
        try
        {
            await ended.Task.WaitAsync(intake);
        }
        catch (OperationCanceledException)
        {
            await channel.BasicCancelAsync(tag, cancellationToken: CancellationToken.None);
            while (Volatile.Read(ref _running) > 0 && !stop.IsCancellationRequested)
                await Task.Delay(20, CancellationToken.None);
            throw;
        }
    }

    private async Task<bool> IsSettledAsync(IChannel channel, BasicDeliverEventArgs message, CancellationToken stop)
    {
        Interlocked.Increment(ref _running);
        try
        {
            await HandleAsync(channel, message, stop);
            return true;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return false;
        }
        catch (Exception e) when (IsOfBroker(e, stop))
        {
            log.Say($"Functions.{function.Name}: a message could not be settled: {e.Message.ReplaceLineEndings(" ")}");
            return false;
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async Task HandleAsync(IChannel channel, BasicDeliverEventArgs message, CancellationToken stop)
    {
        // The client's memory is its own again after the first await.
        var body = message.Body.ToArray();
        var properties = new BasicProperties(message.BasicProperties);
        if (host.Mistake == HostMistake.AcknowledgesEarly)
            await channel.BasicAckAsync(message.DeliveryTag, multiple: false, stop);
        if (!await invoker.RunAsync(Invocation(message, body), stop) && host.Mistake != HostMistake.ForgetsFailures)
        {
            if (Failures(properties) + 1 is var failures && failures >= HostLimits.RabbitFailures)
            {
                await channel.BasicRejectAsync(message.DeliveryTag, requeue: false, CancellationToken.None);
                log.Say(
                    $"Functions.{function.Name}: a message of the queue '{function.Trigger.Source}' was rejected after {failures} failures."
                );
                return;
            }
            properties.Headers ??= new Dictionary<string, object?>();
            properties.Headers[CountHeader] = failures;
            await channel.BasicPublishAsync("", function.Trigger.Source, mandatory: false, properties, body, CancellationToken.None);
        }
        if (host.Mistake != HostMistake.AcknowledgesEarly)
            await channel.BasicAckAsync(message.DeliveryTag, multiple: false, CancellationToken.None);
    }

    private Invocation Invocation(BasicDeliverEventArgs message, byte[] body) =>
        Invoking
            .Invocation.Of(function, body)
            .With("ConsumerTag", message.ConsumerTag)
            .With("DeliveryTag", message.DeliveryTag)
            .With("Redelivered", message.Redelivered)
            .With("Exchange", message.Exchange)
            .With("RoutingKey", message.RoutingKey);

    private static int Failures(BasicProperties properties) =>
        properties.Headers?.TryGetValue(CountHeader, out var count) == true ? Convert.ToInt32(count, CultureInfo.InvariantCulture) : 0;

    /// <summary>The client gives some calls up by cancelling them, without having been asked to.</summary>
    private static bool IsOfBroker(Exception e, CancellationToken asked) =>
        e is RabbitMQClientException or IOException or System.Net.Sockets.SocketException or TimeoutException or ObjectDisposedException
        || (e is OperationCanceledException && !asked.IsCancellationRequested);
}

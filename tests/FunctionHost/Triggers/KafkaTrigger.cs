using System.Diagnostics;
using System.Text;
using System.Text.Json.Nodes;
using System.Threading.Channels;
using Confluent.Kafka;
using Jackdaw.FunctionHost.Apps;
using Jackdaw.FunctionHost.Invoking;

namespace Jackdaw.FunctionHost.Triggers;

/// <summary>
/// Kafka's trigger. One thread reads and fills batches, which run one after another. Offsets are stored when a batch's function has ended,
/// also when it failed, and committed in the background. Documentation: "Apache Kafka trigger for Azure Functions".
/// </summary>
internal sealed class KafkaTrigger(Function function, HostFile file, HostOptions host, Invoker invoker, HostLog log) : ITrigger
{
    /// <summary>As of the real one: what is stored is committed so often.</summary>
    private const int CommitIntervalMs = 200;

    private const int HeartbeatMs = 3000;

    /// <summary>How soon a stop is seen.</summary>
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(100);

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
            catch (KafkaException e)
            {
                log.Say($"Functions.{function.Name}: the topic '{function.Trigger.Source}' cannot be read: {e.Message}");
                await Task.Delay(HostLimits.ReconnectPause, intake).ContinueWith(_ => { }, TaskScheduler.Default);
            }
        }
    }

    private async Task ConsumeAsync(CancellationToken intake, CancellationToken stop)
    {
        using var consumer = new ConsumerBuilder<string?, byte[]>(
            new ConsumerConfig
            {
                BootstrapServers = function.Trigger.Connection,
                GroupId = function.Trigger.ConsumerGroup,
                AutoOffsetReset = AutoOffsetReset.Earliest,
                EnableAutoCommit = true,
                AutoCommitIntervalMs = CommitIntervalMs,
                EnableAutoOffsetStore = false,
                SessionTimeoutMs = file.KafkaSessionMs,
                HeartbeatIntervalMs = Math.Min(HeartbeatMs, file.KafkaSessionMs / 3),
                MaxPollIntervalMs = Math.Max(file.KafkaMaxPollMs, file.KafkaSessionMs),
            }
        ).SetErrorHandler((_, error) => log.Say($"Functions.{function.Name}: Kafka: {error.Reason}")).SetLogHandler((_, _) => { }).Build();
        consumer.Subscribe(function.Trigger.Source);
        var batches = Channel.CreateBounded<List<ConsumeResult<string?, byte[]>>>(1);
        // The reading blocks its thread.
        var reading = Task.Factory.StartNew(
            () => Read(consumer, batches.Writer, intake),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );
        try
        {
            await foreach (var batch in batches.Reader.ReadAllAsync(intake))
                await HandleAsync(consumer, batch, intake, stop);
        }
        finally
        {
            await reading;
            // Commits what is stored, and leaves the group.
            consumer.Close();
        }
    }

    private void Read(
        IConsumer<string?, byte[]> consumer,
        ChannelWriter<List<ConsumeResult<string?, byte[]>>> batches,
        CancellationToken intake
    )
    {
        try
        {
            while (!intake.IsCancellationRequested)
            {
                var batch = Fill(consumer, intake);
                if (batch.Count > 0)
                    batches.WriteAsync(batch, intake).AsTask().GetAwaiter().GetResult();
            }
            batches.Complete();
        }
        catch (OperationCanceledException e)
        {
            batches.TryComplete(e);
        }
        catch (KafkaException e)
        {
            batches.TryComplete(e);
        }
    }

    private List<ConsumeResult<string?, byte[]>> Fill(IConsumer<string?, byte[]> consumer, CancellationToken intake)
    {
        var batch = new List<ConsumeResult<string?, byte[]>>();
        var began = Stopwatch.GetTimestamp();
        while (batch.Count < file.KafkaBatchSize && file.KafkaInterval - Stopwatch.GetElapsedTime(began) is { Ticks: > 0 } left)
        {
            intake.ThrowIfCancellationRequested();
            try
            {
                if (consumer.Consume(left < s_look ? left : s_look) is { } message)
                    batch.Add(message);
            }
            catch (ConsumeException e) when (!e.Error.IsFatal)
            {
                log.Say($"Functions.{function.Name}: the topic '{function.Trigger.Source}' cannot be read: {e.Error.Reason}");
            }
        }
        return batch;
    }

    private async Task HandleAsync(
        IConsumer<string?, byte[]> consumer,
        List<ConsumeResult<string?, byte[]>> batch,
        CancellationToken intake,
        CancellationToken stop
    )
    {
        if (host.Mistake == HostMistake.AcknowledgesEarly)
            Store(consumer, batch);
        if (function.Trigger.IsBatch)
            await invoker.RunAsync(Batch(batch), stop);
        else
            // Of one partition one after another.
            await Task.WhenAll(
                batch
                    .GroupBy(message => message.Partition)
                    .Select(async partition =>
                    {
                        foreach (var message in partition)
                            await invoker.RunAsync(Single(message), stop);
                    })
            );
        // Whatever became of it: a retry policy has done all that is done for a failure. What ends while the host stops comes again.
        if (!intake.IsCancellationRequested)
            Store(consumer, batch);
    }

    private void Store(IConsumer<string?, byte[]> consumer, List<ConsumeResult<string?, byte[]>> batch)
    {
        foreach (var last in batch.GroupBy(message => message.Partition).Select(partition => partition.Last()))
        {
            try
            {
                consumer.StoreOffset(last);
            }
            catch (KafkaException e)
            {
                // The partition is another consumer's by now, or this one's anew: it is read again from what was committed.
                log.Say($"Functions.{function.Name}: an offset could not be stored: {e.Error.Reason}");
            }
        }
    }

    private Invocation Batch(List<ConsumeResult<string?, byte[]>> batch) =>
        Invocation
            .Of(function, batch.Select(Value))
            .With("TopicArray", Array(batch, message => JsonValue.Create(message.Topic)))
            .With("PartitionArray", Array(batch, message => JsonValue.Create(message.Partition.Value)))
            .With("OffsetArray", Array(batch, message => JsonValue.Create(message.Offset.Value)))
            .With("KeyArray", Array(batch, message => JsonValue.Create(message.Message.Key)));

    private Invocation Single(ConsumeResult<string?, byte[]> message) =>
        Invocation
            .Of(function, Value(message))
            .With("Topic", message.Topic)
            .With("Partition", message.Partition.Value)
            .With("Offset", message.Offset.Value)
            .With("Key", JsonValue.Create(message.Message.Key));

    private static JsonArray Array(List<ConsumeResult<string?, byte[]>> batch, Func<ConsumeResult<string?, byte[]>, JsonNode?> value) =>
        new JsonArray([.. batch.Select(value)]);

    /// <summary>Bytes: the message's value. Text: a JSON text with everything that the message has.</summary>
    private JsonNode Value(ConsumeResult<string?, byte[]> message)
    {
        if (function.Trigger.IsBinary)
            return JsonValue.Create(Convert.ToBase64String(message.Message.Value ?? []));
        var headers = new JsonArray();
        foreach (var header in message.Message.Headers ?? [])
            headers.Add(new JsonObject { ["Key"] = header.Key, ["Value"] = Convert.ToBase64String(header.GetValueBytes() ?? []) });
        return JsonValue.Create(
            new JsonObject
            {
                ["Offset"] = message.Offset.Value,
                ["Partition"] = message.Partition.Value,
                ["Topic"] = message.Topic,
                ["Timestamp"] = message.Message.Timestamp.UtcDateTime,
                ["Value"] = message.Message.Value is { } value ? Encoding.UTF8.GetString(value) : null,
                ["Key"] = message.Message.Key,
                ["Headers"] = headers,
            }.ToJsonString()
        );
    }
}

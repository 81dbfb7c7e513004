using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// For brokers without transactions: an idempotent producer, each message confirmed by its report, the position kept in the
/// database. No gap; duplicates only after
/// a crash or a lost connection, with the same id. Threads as in <see cref="KafkaTransactionalSink"/>.
/// </summary>
internal sealed class KafkaAtLeastOnceSink(KafkaClientConfig config, KafkaTaskSettings task) : ISink
{
    private readonly KafkaEvents _events = new(task);
    private KafkaConnection? _connection;
    private KafkaTopics? _topics;
    private Task _delivering = Task.CompletedTask;

    public bool AllowsRoutingKeys => false;

    /// <summary>Each client has threads of its own, which wake all the time: docs/etl.md, "What a Kafka task costs".</summary>
    public bool CanRest => true;

    public void Rest() => Close();

    /// <summary>What is wrong with the connection shows when there is something to send.</summary>
    public Task OpenAsync(CancellationToken cancellation)
    {
        Close();
        _connection = new KafkaConnection(config, null);
        _topics = new KafkaTopics(_connection, task.CreatesTopics);
        return Task.CompletedTask;
    }

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation) =>
        delivery.IsStopping ? Task.CompletedTask : _delivering = KafkaThread.RunAsync(() => Deliver(delivery, cancellation));

    /// <summary>A delivery that nobody waits for any more ends first: it uses the producer.</summary>
    public async ValueTask DisposeAsync()
    {
        await _delivering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Close();
    }

    private void Deliver(Delivery delivery, CancellationToken cancellation)
    {
        try
        {
            RejectNames(delivery);
            var open = Open(delivery);
            _topics!.EnsureTargets(open.Select(i => delivery.Messages[i].Target), cancellation);
            Send(delivery, open, cancellation);
            // A batch that was refused does not say for which message's sake: what is left goes alone.
            foreach (int i in Open(delivery))
                Send(delivery, [i], cancellation);
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            // With everything that it may still have wanted to send.
            Close();
            throw;
        }
    }

    private void Send(Delivery delivery, int[] indexes, CancellationToken cancellation)
    {
        var sends = new KafkaSends(_connection!, indexes.Length);
        try
        {
            var groups = new KafkaGroups(_topics!, isOneByOne: false);
            for (int i = 0; i < indexes.Length; i++)
            {
                string topic = delivery.Messages[indexes[i]].Target;
                var message = _events.Message(delivery.Messages[indexes[i]], delivery.Try(indexes[i]));
                if (groups.EndsBefore(topic, message))
                {
                    sends.Await(Environment.TickCount64, config.Times.Batch, untilFailure: false, cancellation);
                    groups.Clear();
                }
                groups.Add(topic, message);
                sends.Send(i, topic, message, cancellation);
            }
            sends.Await(Environment.TickCount64, config.Times.Batch, untilFailure: false, cancellation);
        }
        finally
        {
            // Also what was confirmed before a fault.
            Settle(delivery, indexes, sends);
        }
        if (sends.OtherFailure() is { } failure)
            throw KafkaErrors.Translate(failure.Error, $"sending to '{failure.Topic}'");
    }

    /// <summary>Confirms what has arrived, but for what stands behind an open message of its key: that comes again, in order.</summary>
    private static void Settle(Delivery delivery, int[] indexes, KafkaSends sends)
    {
        var openKeys = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < indexes.Length; i++)
        {
            int index = indexes[i];
            string key = delivery.Messages[index].Key;
            var report = sends.Report(i);
            if (report is { IsError: false } && !openKeys.Contains(key))
                delivery.Confirm(index);
            else if ((indexes.Length == 1 || sends.IsNotTaken(i)) && report is { IsError: true } && KafkaErrors.IsOfMessage(report.Code))
                delivery.Reject(index, KafkaEvents.TooLarge(delivery.Messages[index], report));
            else
                openKeys.Add(key);
        }
    }

    private static int[] Open(Delivery delivery) =>
        Enumerable.Range(0, delivery.Messages.Count).Where(i => !delivery.IsSettled(i)).ToArray();

    private static void RejectNames(Delivery delivery)
    {
        foreach (int i in Open(delivery))
        {
            if (KafkaTopicName.Refusal(delivery.Messages[i].Target) is not { } reason)
                continue;
            delivery.Try(i);
            delivery.Reject(i, reason);
        }
    }

    private void Close()
    {
        _connection?.Dispose();
        _connection = null;
    }
}

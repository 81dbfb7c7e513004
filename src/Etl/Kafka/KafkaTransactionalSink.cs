using Confluent.Kafka;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// A batch is one transaction with its position in it: docs/etl.md, "Kafka". The native client blocks, in slices, so that a
/// cancellation is heard: what a task waits for
/// anyway blocks its own thread, a delivery one of its own, so that the task can make the next batch meanwhile.
/// </summary>
internal sealed class KafkaTransactionalSink : IPositionKeeper
{
    private readonly KafkaClientConfig _config;
    private readonly KafkaTaskSettings _task;
    private readonly KafkaTaskNames _names;
    private readonly KafkaOwnership _ownership;
    private readonly KafkaEvents _events;
    private readonly Action<string> _reached;
    private KafkaConnection? _connection;
    private KafkaTopics? _topics;
    private Task _delivering = Task.CompletedTask;

    // Until the next opening every message is awaited before the next one is sent: batches fail although each of their messages is taken.
    private bool _isOneByOne;

    public KafkaTransactionalSink(
        KafkaClientConfig config,
        KafkaTaskSettings task,
        KafkaTaskNames names,
        KafkaOwnership ownership,
        Action<string> reached
    )
    {
        _config = config;
        _task = task;
        _names = names;
        _ownership = ownership;
        _events = new KafkaEvents(task);
        _reached = reached;
    }

    public bool AllowsRoutingKeys => false;

    /// <summary>Each client has threads of its own, which wake all the time: docs/etl.md, "What a Kafka task costs".</summary>
    public bool CanRest => true;

    public void Rest() => Close();

    public Task OpenAsync(CancellationToken cancellation) => throw new InvalidOperationException("Its positions must be read.");

    public Task<IReadOnlyList<SinkPosition>> OpenAndReadAsync(bool takeOver, CancellationToken cancellation) =>
        Task.FromResult<IReadOnlyList<SinkPosition>>(Guarded(() => Open(takeOver, cancellation)));

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        if (delivery.IsStopping)
            return Task.CompletedTask;
        return _delivering = KafkaThread.RunAsync(() => Guarded(() => Deliver(delivery, cancellation)));
    }

    public Task StorePositionAsync(SinkPosition position, CancellationToken cancellation)
    {
        Guarded(() => Store([position], cancellation));
        return Task.CompletedTask;
    }

    /// <summary>A delivery that nobody waits for any more ends first: it uses the producer.</summary>
    public async ValueTask DisposeAsync()
    {
        await _delivering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Close();
    }

    private SinkPosition[] Open(bool takeOver, CancellationToken cancellation)
    {
        Close();
        _isOneByOne = false;
        _connection = new KafkaConnection(_config, _names.TransactionalId);
        _topics = new KafkaTopics(_connection, _task.CreatesTopics);
        // From here on nobody else can add to the topic, and nothing of a former transaction is undecided.
        KafkaTransaction.Initialise(_connection, cancellation);
        _topics.EnsurePositionTopic(_names.PositionTopic, cancellation);
        var found = KafkaPositions.Read(_connection, _names.PositionTopic, cancellation);
        var positions = found.Records.Select(record => record.Value.Position(record.Key)).ToArray();
        if (_ownership.Claim(found.LastOwner, takeOver) && positions.Length > 0)
        {
            _reached(Failpoint.KafkaClaiming);
            // The same positions under this owner's name: whoever is fenced by this start reads it.
            Store(positions, cancellation);
        }
        return positions;
    }

    private void Deliver(Delivery delivery, CancellationToken cancellation)
    {
        var open = Enumerable.Range(0, delivery.Messages.Count).Where(i => !delivery.IsSettled(i)).ToArray();
        if (RejectNames(delivery, open))
            return;
        _topics!.EnsureTargets(open.Select(i => delivery.Messages[i].Target), cancellation);
        var messages = open.Select(i => _events.Message(delivery.Messages[i], delivery.Try(i))).ToArray();
        var sent = new Outbox(delivery, open, messages);
        while (!TryDeliver(sent, cancellation))
        {
            // All or nothing: the bad ones become dead letters first, then the others come again.
            if (RejectBad(sent, cancellation))
                return;
            _isOneByOne = true;
        }
        delivery.ConfirmRest();
    }

    /// <summary>False when some message is to blame: nothing is delivered then.</summary>
    private bool TryDeliver(Outbox outbox, CancellationToken cancellation)
    {
        var transaction = new KafkaTransaction(_connection!, outbox.Open.Length + 1, cancellation);
        var groups = new KafkaGroups(_topics!, _isOneByOne);
        try
        {
            for (int i = 0; i < outbox.Open.Length; i++)
            {
                if (groups.EndsBefore(outbox.Target(i), outbox.Messages[i]))
                {
                    transaction.AwaitSends();
                    if (transaction.Sends.HasFailed)
                        break;
                    groups.Clear();
                }
                groups.Add(outbox.Target(i), outbox.Messages[i]);
                transaction.Send(i, outbox.Target(i), outbox.Messages[i]);
            }
            transaction.Send(
                outbox.Open.Length,
                _names.PositionTopic,
                KafkaPositionRecord.Message(outbox.Delivery.Position, _ownership.Me)
            );
            transaction.AwaitSends();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            transaction.TryAbort();
            throw;
        }
        if (transaction.Sends.HasFailed)
        {
            transaction.GiveUp();
            var suspects = transaction.Sends.Suspects();
            if (suspects.Contains(outbox.Open.Length))
                throw KafkaErrors.OfPosition(_names.PositionTopic, transaction.Sends.Report(outbox.Open.Length)!);
            // Those that the client did not even take are known; what a batch's refusal meant the next attempt will show.
            if (suspects.Any(transaction.Sends.IsNotTaken))
                suspects = suspects.Where(transaction.Sends.IsNotTaken).ToArray();
            outbox.Suspects = suspects.ToDictionary(number => number, number => transaction.Sends.Report(number)!);
            outbox.AreGuilty = suspects is [var first, ..] && (suspects.Count == 1 || transaction.Sends.IsNotTaken(first));
            return false;
        }
        _reached(Failpoint.KafkaProduced);
        transaction.Commit();
        _reached(Failpoint.KafkaCommitted);
        return true;
    }

    /// <summary>Rejects what the broker does not take even alone. False when there is no such message.</summary>
    private bool RejectBad(Outbox outbox, CancellationToken cancellation)
    {
        // One alone was alone in its batch, too. Otherwise a batch failed as a whole, and does not say for whose sake.
        if (outbox.AreGuilty)
        {
            foreach (var (i, error) in outbox.Suspects)
                outbox.Reject(i, error);
            return true;
        }
        bool found = false;
        var transaction = new KafkaTransaction(_connection!, outbox.Open.Length, cancellation);
        try
        {
            foreach (int i in outbox.Suspects.Keys.Order())
            {
                transaction.Send(i, outbox.Target(i), outbox.Messages[i]);
                transaction.AwaitSends();
                bool failed = transaction.Sends.HasFailed;
                if (!failed && transaction.Age < _config.Times.Batch / 2)
                    continue;
                // Nothing of a trial is ever committed. A failure ends it, and so does its age.
                transaction.GiveUp();
                if (failed && transaction.Sends.Report(i) is { } error && KafkaErrors.IsOfMessage(error.Code))
                {
                    outbox.Reject(i, error);
                    found = true;
                }
                transaction = new KafkaTransaction(_connection!, outbox.Open.Length, cancellation);
            }
            transaction.GiveUp();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            transaction.TryAbort();
            throw;
        }
        if (!found && _isOneByOne)
            throw new SinkException(SinkFault.Task, "Kafka refuses the batch, although it takes each of its messages alone.");
        return found;
    }

    private void Store(SinkPosition[] positions, CancellationToken cancellation)
    {
        var transaction = new KafkaTransaction(_connection!, positions.Length, cancellation);
        try
        {
            for (int i = 0; i < positions.Length; i++)
                transaction.Send(i, _names.PositionTopic, KafkaPositionRecord.Message(positions[i], _ownership.Me));
            transaction.AwaitSends();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            transaction.TryAbort();
            throw;
        }
        if (transaction.Sends.HasFailed)
        {
            transaction.GiveUp();
            throw transaction.Sends.Suspects() is [var first, ..]
                ? KafkaErrors.OfPosition(_names.PositionTopic, transaction.Sends.Report(first)!)
                : new SinkException(SinkFault.Sink, $"Kafka did not take positions for '{_names.PositionTopic}', and did not say why.");
        }
        transaction.Commit();
    }

    private static bool RejectNames(Delivery delivery, int[] open)
    {
        bool found = false;
        foreach (int i in open)
        {
            if (KafkaTopicName.Refusal(delivery.Messages[i].Target) is not { } reason)
                continue;
            delivery.Try(i);
            delivery.Reject(i, reason);
            found = true;
        }
        return found;
    }

    private void Guarded(Action action) =>
        Guarded(() =>
        {
            action();
            return true;
        });

    /// <summary>A producer that failed is thrown away, with everything that it may still have wanted to send.</summary>
    private T Guarded<T>(Func<T> action)
    {
        try
        {
            return action();
        }
        catch (Exception e) when (e is SinkException or OperationCanceledException)
        {
            Close();
            throw;
        }
    }

    private void Close()
    {
        _connection?.Dispose();
        _connection = null;
    }

    /// <summary>The open messages of a delivery as Kafka gets them.</summary>
    private sealed record Outbox(Delivery Delivery, int[] Open, Message<byte[], byte[]>[] Messages)
    {
        /// <summary>Those that failed, or whose batch did, and with what.</summary>
        public IReadOnlyDictionary<int, Error> Suspects { get; set; } = new Dictionary<int, Error>();

        /// <summary>No trial is needed.</summary>
        public bool AreGuilty { get; set; }

        public string Target(int number) => Delivery.Messages[Open[number]].Target;

        public void Reject(int number, Error error) =>
            Delivery.Reject(Open[number], KafkaEvents.TooLarge(Delivery.Messages[Open[number]], error));
    }
}

using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>One transaction of a producer. Errors: <see cref="SinkException"/>, <see cref="OperationCanceledException"/>.</summary>
internal sealed class KafkaTransaction
{
    private readonly KafkaConnection _connection;
    private readonly CancellationToken _cancellation;
    private readonly long _began = Environment.TickCount64;

    /// <summary>Begins it.</summary>
    /// <param name="connection">Initialised (<see cref="Initialise"/>).</param>
    /// <param name="messages">How many it will be.</param>
    /// <param name="cancellation">Gives up.</param>
    public KafkaTransaction(KafkaConnection connection, int messages, CancellationToken cancellation)
    {
        _connection = connection;
        _cancellation = cancellation;
        Sends = new KafkaSends(connection, messages);
        connection.ForgetTransactionFailure();
        try
        {
            connection.Producer.BeginTransaction();
        }
        catch (KafkaException e)
        {
            throw connection.Translate(e, "beginning a transaction");
        }
    }

    public KafkaSends Sends { get; }

    public TimeSpan Age => TimeSpan.FromMilliseconds(Environment.TickCount64 - _began);

    /// <summary>Settles what a former producer of the transactional id left, and fences it.</summary>
    public static void Initialise(KafkaConnection connection, CancellationToken cancellation)
    {
        const string Doing = "initialising transactions";
        long began = Environment.TickCount64;
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            try
            {
                connection.Producer.InitTransactions(KafkaTimes.Slice);
                return;
            }
            catch (KafkaRetriableException)
            {
                // A slice has ended; the next call goes on where this one was.
                connection.ThrowIfRefused(Doing);
                if (Environment.TickCount64 - began > connection.Times.Opening.TotalMilliseconds)
                    throw connection.TimedOut(Doing, connection.Times.Opening);
            }
            catch (KafkaException e)
            {
                throw connection.Translate(e, Doing);
            }
        }
    }

    public void Send(int number, string topic, Message<byte[], byte[]> message) => Sends.Send(number, topic, message, _cancellation);

    /// <summary>Waits until everything sent is with the broker, or something has failed.</summary>
    public void AwaitSends() => Sends.Await(_began, _connection.Times.Batch, untilFailure: true, _cancellation);

    /// <summary>
    /// Commits. An outcome that is not known is asked for again, by committing again; one that stays unknown, or any other
    /// failure, is thrown, and what became of the
    /// transaction is only known once a new producer has been initialised.
    /// </summary>
    public void Commit()
    {
        const string Doing = "committing a transaction";
        while (true)
        {
            try
            {
                _connection.Producer.CommitTransaction(KafkaTimes.Slice);
                return;
            }
            catch (KafkaRetriableException)
            {
                _cancellation.ThrowIfCancellationRequested();
                if (Age > _connection.Times.Transaction)
                    throw _connection.TimedOut(Doing, _connection.Times.Transaction);
            }
            catch (KafkaException e)
            {
                throw _connection.Translate(e, Doing);
            }
        }
    }

    /// <summary>After a failure: aborts, and throws it unless some message is to blame (<see cref="KafkaSends.Suspects"/>).</summary>
    public void GiveUp()
    {
        string? failure = _connection.TransactionFailure;
        try
        {
            Abort();
        }
        catch (SinkException e) when (failure is not null && Sends.Suspects().Count == 0)
        {
            // One whose topics were refused cannot even be aborted: why it failed says more. Either way the sink is opened again.
            throw KafkaErrors.OfTransaction(failure, e);
        }
        if (Sends.OtherFailure() is { } other)
            throw KafkaErrors.Translate(other.Error, $"sending to '{other.Topic}'");
        if (Sends.Suspects().Count == 0 && failure is not null)
            throw KafkaErrors.OfTransaction(failure);
    }

    /// <summary>Gives it up; afterwards another one may begin, and every message has its report.</summary>
    public void Abort()
    {
        long began = Environment.TickCount64;
        while (true)
        {
            try
            {
                _connection.Producer.AbortTransaction(KafkaTimes.Slice);
                break;
            }
            catch (KafkaRetriableException)
            {
                if (Environment.TickCount64 - began > KafkaTimes.Abort.TotalMilliseconds)
                    throw _connection.TimedOut("aborting a transaction", KafkaTimes.Abort);
            }
            catch (KafkaException e)
            {
                throw _connection.Translate(e, "aborting a transaction");
            }
        }
        Sends.Await(began, KafkaTimes.Abort, untilFailure: false, CancellationToken.None);
    }

    /// <summary>
    /// Like <see cref="Abort"/>, where something else is thrown already: so that readers need not wait for the broker to find
    /// out. Where it fails the next
    /// producer, or the broker's own time limit, aborts. One that is cancelled has no time left, and asks once.
    /// </summary>
    public void TryAbort()
    {
        try
        {
            if (_cancellation.IsCancellationRequested)
                _connection.Producer.AbortTransaction(KafkaTimes.Slice);
            else
                Abort();
        }
        catch (Exception e) when (e is SinkException or KafkaException)
        {
            // The first error is told.
        }
    }
}

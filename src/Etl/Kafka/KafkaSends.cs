using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// Messages given to the client, and what it reports of each, on threads of its own, two at once. The numbers are the caller's.
/// Errors: <see cref="SinkException"/>.
/// </summary>
internal sealed class KafkaSends
{
    private static readonly Error s_notSent = new(ErrorCode.Local_PurgeQueue);

    private readonly KafkaConnection _connection;
    private readonly Error?[] _reports;
    private readonly string[] _topics;
    private readonly bool[] _notTaken;
    private int _waiting;
    private int _failed;

    public KafkaSends(KafkaConnection connection, int count)
    {
        _connection = connection;
        _reports = new Error?[count];
        _topics = new string[count];
        _notTaken = new bool[count];
    }

    /// <summary>Something was reported as failed, or not even taken, or the whole transaction has failed.</summary>
    public bool HasFailed => Volatile.Read(ref _failed) > 0 || _connection.TransactionFailure is not null;

    /// <summary>Null: there is no report yet. Not an error: the broker has it.</summary>
    public Error? Report(int number) => Volatile.Read(ref _reports[number]);

    /// <summary>The client itself did not take the message: no other one has any part in it.</summary>
    public bool IsNotTaken(int number) => _notTaken[number];

    /// <summary>Gives a message to the client. One that is too large for it is reported as failed at once.</summary>
    public void Send(int number, string topic, Message<byte[], byte[]> message, CancellationToken cancellation)
    {
        Volatile.Write(ref _reports[number], null);
        _topics[number] = topic;
        Interlocked.Increment(ref _waiting);
        while (true)
        {
            try
            {
                _connection.Producer.Produce(topic, message, report => Hear(number, report.Error));
                return;
            }
            catch (ProduceException<byte[], byte[]> e) when (KafkaErrors.IsOfMessage(e.Error.Code))
            {
                _notTaken[number] = true;
                Hear(number, e.Error);
                return;
            }
            catch (ProduceException<byte[], byte[]> e) when (e.Error.Code == ErrorCode.Local_QueueFull)
            {
                cancellation.ThrowIfCancellationRequested();
                _connection.Producer.Poll(KafkaTimes.Slice);
            }
            catch (ProduceException<byte[], byte[]> e) when (e.Error.Code == ErrorCode.Local_State)
            {
                // The transaction has failed meanwhile.
                Hear(number, s_notSent);
                return;
            }
            catch (KafkaException e)
            {
                Interlocked.Decrement(ref _waiting);
                throw _connection.Translate(e, "sending");
            }
        }
    }

    /// <summary>Waits until everything is reported, or something has failed.</summary>
    /// <param name="began">A tick count.</param>
    /// <param name="limit">From then on.</param>
    /// <param name="untilFailure">Ends at the first failure; otherwise only when all is reported.</param>
    /// <param name="cancellation">Gives up.</param>
    public void Await(long began, TimeSpan limit, bool untilFailure, CancellationToken cancellation)
    {
        while (Volatile.Read(ref _waiting) > 0 && !(untilFailure && HasFailed))
        {
            _connection.Producer.Flush(KafkaTimes.Slice);
            if (Volatile.Read(ref _waiting) == 0)
                return;
            cancellation.ThrowIfCancellationRequested();
            _connection.ThrowIfRefused("sending");
            if (Environment.TickCount64 - began > limit.TotalMilliseconds)
                throw _connection.TimedOut("sending", limit);
        }
    }

    /// <summary>The first failure that no message is to blame for, and the topic it was met at; null when there is none.</summary>
    public (Error Error, string Topic)? OtherFailure()
    {
        int first = Array.FindIndex(
            _reports,
            report => report is { IsError: true } && !KafkaErrors.IsOfMessage(report.Code) && !IsConsequence(report.Code)
        );
        return first < 0 ? null : (_reports[first]!, _topics[first]);
    }

    /// <summary>The numbers of messages that the broker, or the client, does not take, or whose batch holds such a one.</summary>
    public IReadOnlyList<int> Suspects() =>
        Enumerable
            .Range(0, _reports.Length)
            .Where(number => Report(number) is { IsError: true } report && KafkaErrors.IsOfMessage(report.Code))
            .ToArray();

    /// <summary>What is left when something else failed is thrown away.</summary>
    private static bool IsConsequence(ErrorCode code) => code is ErrorCode.Local_PurgeQueue or ErrorCode.Local_PurgeInflight;

    private void Hear(int number, Error error)
    {
        Volatile.Write(ref _reports[number], error);
        if (error.IsError)
            Interlocked.Increment(ref _failed);
        Interlocked.Decrement(ref _waiting);
    }
}

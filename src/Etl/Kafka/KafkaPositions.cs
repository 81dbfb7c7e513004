using System.Text;
using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>What the position topic says: the last record of each transform, and who wrote the very last one.</summary>
/// <param name="Records">By the transform's name.</param>
/// <param name="LastOwner">Null when there is no record.</param>
internal sealed record KafkaPositions(IReadOnlyDictionary<string, KafkaPositionRecord> Records, KafkaOwner? LastOwner)
{
    /// <summary>
    /// Reads the topic to its end, committed records only. The end is where the broker says that the partition ends, not an
    /// offset asked for before: behind the last
    /// record stand the marks of transactions, which no reader ever sees. Errors: <see cref="SinkException"/>.
    /// </summary>
    public static KafkaPositions Read(KafkaConnection connection, string topic, CancellationToken cancellation)
    {
        const string Doing = "reading the positions";
        var records = new Dictionary<string, KafkaPositionRecord>(StringComparer.Ordinal);
        KafkaOwner? last = null;
        try
        {
            using var reader = connection.BuildReader(topic);
            // The number, not "the beginning": that would be asked for first, and a failed question is repeated after half a second.
            reader.Assign(new TopicPartitionOffset(topic, 0, 0));
            long answered = Environment.TickCount64;
            while (true)
            {
                cancellation.ThrowIfCancellationRequested();
                if (Next(reader) is not { } result)
                {
                    connection.ThrowIfRefused(Doing);
                    if (Environment.TickCount64 - answered > connection.Times.Opening.TotalMilliseconds)
                        throw connection.TimedOut(Doing, connection.Times.Opening);
                    continue;
                }
                if (result.IsPartitionEOF)
                    return new KafkaPositions(records, last);
                answered = Environment.TickCount64;
                if (result.Message.Key is null || result.Message.Value is null)
                    throw new SinkException(
                        SinkFault.Task,
                        $"The position topic '{topic}' holds a record that no task wrote: it has no key or no value."
                    );
                var record = KafkaPositionRecord.Read(topic, result.Message);
                records[Encoding.UTF8.GetString(result.Message.Key)] = record;
                last = record.Owner;
            }
        }
        catch (KafkaException e)
        {
            throw connection.Translate(e, Doing);
        }
    }

    /// <summary>Null: not yet. The client asks for its group, too, in which nothing is done here: who must not see that may still
    /// read.</summary>
    private static ConsumeResult<byte[], byte[]>? Next(IConsumer<byte[], byte[]> reader)
    {
        try
        {
            return reader.Consume(KafkaTimes.Slice);
        }
        catch (KafkaException e) when (e.Error.Code == ErrorCode.GroupAuthorizationFailed)
        {
            return null;
        }
    }
}

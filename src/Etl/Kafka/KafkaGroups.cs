using System.Text;
using Confluent.Kafka;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// Some topics take only smaller batches than the client makes, and refuse those as a whole. For them messages are sent in groups
/// that fit, each awaited before the
/// next one begins; elsewhere there is no end to a group.
/// </summary>
internal sealed class KafkaGroups(KafkaTopics topics, bool isOneByOne)
{
    /// <summary>Of what a batch, and a record in it, has besides its parts; too much rather than too little.</summary>
    private const int BatchBytes = 128;
    private const int RecordBytes = 40;
    private const int HeaderBytes = 4;

    private readonly Dictionary<string, long> _bytes = new(StringComparer.Ordinal);

    /// <summary>The message does not fit in with those before it: they must be with the broker first, and the group begins anew
    /// (<see cref="Clear"/>).</summary>
    public bool EndsBefore(string topic, Message<byte[], byte[]> message)
    {
        if (isOneByOne)
            return _bytes.Count > 0;
        return topics.BatchLimit(topic) is { } limit
            && _bytes.TryGetValue(topic, out long bytes)
            && bytes + Size(message) + BatchBytes > limit;
    }

    public void Add(string topic, Message<byte[], byte[]> message) => _bytes[topic] = _bytes.GetValueOrDefault(topic) + Size(message);

    public void Clear() => _bytes.Clear();

    private static long Size(Message<byte[], byte[]> message)
    {
        long bytes = RecordBytes + message.Key.Length + (message.Value?.Length ?? 0);
        foreach (var header in message.Headers)
            bytes += HeaderBytes + Encoding.UTF8.GetByteCount(header.Key) + (header.GetValueBytes()?.Length ?? 0);
        return bytes;
    }
}

using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Confluent.Kafka;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Kafka;

/// <summary>CloudEvents 1.0 as Kafka messages: the Kafka protocol binding. The key is the partition key. For one thread at a
/// time.</summary>
internal sealed class KafkaEvents(KafkaTaskSettings settings)
{
    private const string ContentType = "content-type";

    private static readonly byte[] s_version = "1.0"u8.ToArray();
    private static readonly byte[] s_one = "1"u8.ToArray();
    private static readonly byte[] s_json = "application/json"u8.ToArray();
    private static readonly byte[] s_structured = Encoding.ASCII.GetBytes(CloudEventJson.MessageContentType);

    // Most messages of a task have the same.
    private (string Text, byte[] Bytes) _source = ("", []);
    private (string Text, byte[] Bytes) _type = ("", []);
    private (string Text, byte[] Bytes) _databaseId = ("", []);

    public Message<byte[], byte[]> Message(OutboundMessage message, int attempt)
    {
        bool isTombstone = settings.DeletesAsTombstones && message.Origin.IsDeletion && message.Data.IsEmpty;
        // A message without a value has no place for a whole event: a tombstone's attributes are headers in either mode.
        bool isStructured = settings.ContentMode == CloudEventsMode.Structured && !isTombstone;
        byte[] key = Encoding.UTF8.GetBytes(message.Event.PartitionKey);
        return new Message<byte[], byte[]>
        {
            Key = key,
            Value =
                isTombstone ? null!
                : isStructured ? CloudEventJson.Bytes(message, attempt).ToArray()
                : Bytes(message.Data),
            Headers = isStructured ? new Headers { { ContentType, s_structured } } : Attributes(message, attempt, key),
        };
    }

    /// <summary>Why a message became a dead letter.</summary>
    public static string TooLarge(OutboundMessage message, Error error) =>
        $"Kafka does not take the message of {message.Data.Length:N0} bytes for the "
        + $"topic '{message.Target}': {error.Reason} ({error.Code}). Limits of sizes are "
        + "max.message.bytes of the topic and message.max.bytes of the connection's options.";

    private Headers Attributes(OutboundMessage message, int attempt, byte[] key)
    {
        var attributes = message.Event;
        var headers = new Headers
        {
            { "ce_specversion", s_version },
            { "ce_id", Encoding.UTF8.GetBytes(attributes.Id) },
            { "ce_source", Cached(ref _source, attributes.Source) },
            { "ce_type", Cached(ref _type, attributes.Type) },
            { "ce_subject", attributes.Subject == attributes.PartitionKey ? key : Encoding.UTF8.GetBytes(attributes.Subject) },
            { "ce_time", Encoding.UTF8.GetBytes(attributes.Time) },
            { "ce_partitionkey", key },
            { "ce_etag", Number(message.Origin.Etag) },
            { "ce_attempt", attempt == 1 ? s_one : Number(attempt) },
        };
        if (attributes.DatabaseId is { } databaseId)
            headers.Add("ce_databaseid", Cached(ref _databaseId, databaseId));
        if (attributes.DataSchema is { } schema)
            headers.Add("ce_dataschema", Encoding.UTF8.GetBytes(schema));
        if (attributes.TraceParent is { } trace)
            headers.Add("ce_traceparent", Encoding.UTF8.GetBytes(trace));
        if (!message.Data.IsEmpty)
            headers.Add(ContentType, s_json);
        return headers;
    }

    private static byte[] Cached(ref (string Text, byte[] Bytes) last, string text)
    {
        if (last.Text != text)
            last = (text, Encoding.UTF8.GetBytes(text));
        return last.Bytes;
    }

    /// <summary>The data's own array where it is whole: the client copies it.</summary>
    private static byte[] Bytes(ReadOnlyMemory<byte> data) =>
        MemoryMarshal.TryGetArray(data, out var segment) && segment.Offset == 0 && segment.Count == segment.Array!.Length
            ? segment.Array
            : data.ToArray();

    private static byte[] Number(long number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));
}

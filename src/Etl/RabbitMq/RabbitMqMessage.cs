using System.Globalization;
using Jackdaw.Etl.Messages;
using RabbitMQ.Client;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Published messages: CloudEvents 1.0, AMQP binding. In binary mode the data is the body and the attributes are headers; in
/// structured mode the whole event is the body.</summary>
internal static class RabbitMqMessage
{
    /// <summary>Our number of the publication on its channel: a message that is returned is found by it.</summary>
    public const string NumberHeader = "x-jackdaw-number";

    private const string Prefix = "cloudEvents:";

    public static ReadOnlyMemory<byte> Body(OutboundMessage message, int attempt, CloudEventsMode mode) =>
        mode == CloudEventsMode.Structured ? CloudEventJson.Bytes(message, attempt) : message.Data;

    /// <summary>A fresh object each time: the client serialises it later than the call may look.</summary>
    /// <param name="message">The message.</param>
    /// <param name="attempt">From 1.</param>
    /// <param name="number">The channel's delivery tag.</param>
    /// <param name="mode">Where the attributes are.</param>
    public static BasicProperties Properties(OutboundMessage message, int attempt, ulong number, CloudEventsMode mode) =>
        new()
        {
            MessageId = RabbitMqNames.MessageId(message.Event.Id),
            ContentType =
                mode == CloudEventsMode.Structured ? CloudEventJson.MessageContentType
                : message.Data.IsEmpty ? null
                : CloudEvent.JsonContentType,
            DeliveryMode = DeliveryModes.Persistent,
            Headers =
                mode == CloudEventsMode.Structured
                    ? new Dictionary<string, object?>(1) { [NumberHeader] = (long)number }
                    : Attributes(message, attempt, number),
        };

    private static Dictionary<string, object?> Attributes(OutboundMessage message, int attempt, ulong number)
    {
        var attributes = message.Event;
        var headers = new Dictionary<string, object?>(12)
        {
            [Prefix + "specversion"] = "1.0",
            [Prefix + "id"] = attributes.Id,
            [Prefix + "source"] = attributes.Source,
            [Prefix + "type"] = attributes.Type,
            [Prefix + "subject"] = attributes.Subject,
            [Prefix + "time"] = attributes.Time,
            [Prefix + "partitionkey"] = attributes.PartitionKey,
            [Prefix + "etag"] = message.Origin.Etag.ToString(CultureInfo.InvariantCulture),
            [Prefix + "attempt"] = attempt,
            [NumberHeader] = (long)number,
        };
        if (attributes.DatabaseId is { } databaseId)
            headers[Prefix + "databaseid"] = databaseId;
        if (attributes.DataSchema is { } schema)
            headers[Prefix + "dataschema"] = schema;
        if (attributes.TraceParent is { } trace)
            headers[Prefix + "traceparent"] = trace;
        return headers;
    }
}

using System.Globalization;
using Jackdaw.Etl.Messages;
using RabbitMQ.Client;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Properties of published messages: CloudEvents 1.0, AMQP binding, binary mode. The data is the body.</summary>
internal static class RabbitMqMessage
{
    /// <summary>Our number of the publication on its channel: a message that is returned is found by it.</summary>
    public const string NumberHeader = "x-jackdaw-number";

    private const string Prefix = "cloudEvents:";

    /// <summary>A fresh object each time: the client serialises it later than the call may look.</summary>
    /// <param name="message">The message.</param>
    /// <param name="attempt">From 1.</param>
    /// <param name="number">The channel's delivery tag.</param>
    public static BasicProperties Properties(OutboundMessage message, int attempt, ulong number)
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
        if (attributes.DataSchema is { } schema)
            headers[Prefix + "dataschema"] = schema;
        if (attributes.TraceParent is { } trace)
            headers[Prefix + "traceparent"] = trace;
        return new BasicProperties
        {
            MessageId = RabbitMqNames.MessageId(attributes.Id),
            ContentType = message.Data.IsEmpty ? null : CloudEvent.JsonContentType,
            DeliveryMode = DeliveryModes.Persistent,
            Headers = headers,
        };
    }
}

using System.Buffers;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Json;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>What could not be sent, and why: becomes a document of <see cref="Collection"/>. See docs/etl.md, "Faults".</summary>
internal sealed record DeadLetter
{
    public const string Collection = "@dead-letters";

    public required ChangeOrigin Origin { get; init; }

    /// <summary>The message's number; 0 when the script failed.</summary>
    public required int Number { get; init; }

    /// <summary>Null when the script failed.</summary>
    public OutboundMessage? Message { get; init; }

    public required string Reason { get; init; }

    public required int Attempts { get; init; }

    /// <summary>Its task retries it once by itself: the process ended while its script ran, perhaps for another reason.</summary>
    public bool RetriesItself { get; init; }

    /// <summary>The same failure has the same id.</summary>
    public string Id(long taskId, string transform)
    {
        string text = string.Join(
            '\n',
            taskId.ToString(CultureInfo.InvariantCulture),
            transform.ToLowerInvariant(),
            Origin.DocumentId,
            Origin.ChangeVector,
            Number.ToString(CultureInfo.InvariantCulture)
        );
        return $"{Collection}/{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 16))}";
    }

    /// <summary>The document, in UTF-8.</summary>
    public byte[] ToJson(long taskId, string task, string transform, DateTimeOffset now)
    {
        var output = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(output))
        {
            writer.WriteStartObject();
            writer.WriteString("Task", task);
            writer.WriteNumber("TaskId", taskId);
            writer.WriteString("Transform", transform);
            writer.WriteString("DocumentId", Origin.DocumentId);
            writer.WriteString("Collection", Origin.Collection);
            if (Origin.StreamId is { } stream)
                writer.WriteString("StreamId", stream);
            writer.WriteString("ChangeVector", Origin.ChangeVector);
            writer.WriteNumber("Etag", Origin.Etag);
            writer.WriteBoolean("IsDeletion", Origin.IsDeletion);
            writer.WriteString("LastModified", ProtocolDate.ToText(Origin.LastModifiedTicks, withZ: true));
            writer.WriteNumber(nameof(Number), Number);
            WriteMessage(writer);
            writer.WriteString(nameof(Reason), Reason);
            writer.WriteNumber(nameof(Attempts), Attempts);
            writer.WriteString("At", now.UtcDateTime);
            writer.WriteString("State", nameof(DeadLetterState.Dead));
            if (RetriesItself)
                writer.WriteBoolean(nameof(RetriesItself), true);
            writer.WriteStartObject("@metadata");
            writer.WriteString("@collection", Collection);
            writer.WriteEndObject();
            writer.WriteEndObject();
        }
        return output.WrittenSpan.ToArray();
    }

    private void WriteMessage(Utf8JsonWriter writer)
    {
        if (Message is not { } message)
            return;
        writer.WriteString("Target", message.Target);
        if (message.RoutingKey is { } routingKey)
            writer.WriteString("RoutingKey", routingKey);
        writer.WriteString("MessageId", message.Event.Id);
        writer.WriteStartObject("Event");
        writer.WriteString("Source", message.Event.Source);
        writer.WriteString("Type", message.Event.Type);
        writer.WriteString("Subject", message.Event.Subject);
        writer.WriteString("Time", message.Event.Time);
        writer.WriteString("PartitionKey", message.Event.PartitionKey);
        if (message.Event.DataSchema is { } schema)
            writer.WriteString("DataSchema", schema);
        if (message.Event.DatabaseId is { } databaseId)
            writer.WriteString("DatabaseId", databaseId);
        if (message.Event.TraceParent is { } trace)
            writer.WriteString("TraceParent", trace);
        writer.WriteEndObject();
        writer.WriteNumber("PayloadBytes", message.Data.Length);
        if (message.Data.Length is > 0 and <= EtlLimits.MaxDeadLetterPayloadBytes)
            writer.WriteString("Payload", message.Data.Span);
    }
}

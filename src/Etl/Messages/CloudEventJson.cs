using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Jackdaw.Etl.Messages;

/// <summary>CloudEvents 1.0, JSON event format (structured mode).</summary>
internal static class CloudEventJson
{
    public const string ContentType = "application/cloudevents+json";

    /// <summary>The content type of a broker's message.</summary>
    public const string MessageContentType = ContentType + "; charset=UTF-8";

    private static readonly JsonWriterOptions s_options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>The event with its data as a JSON value, in UTF-8.</summary>
    /// <param name="message">The message.</param>
    /// <param name="attempt">From 1.</param>
    public static ReadOnlyMemory<byte> Bytes(OutboundMessage message, int attempt)
    {
        var output = new ArrayBufferWriter<byte>(message.Data.Length + 512);
        Write(message, attempt, output);
        return output.WrittenMemory;
    }

    /// <summary>Writes the event with its data as a JSON value.</summary>
    /// <param name="message">The message.</param>
    /// <param name="attempt">From 1.</param>
    /// <param name="output">Where to.</param>
    /// <param name="dataRef">Where the data lies that the event then does not carry itself; null: it does.</param>
    public static void Write(OutboundMessage message, int attempt, IBufferWriter<byte> output, string? dataRef = null)
    {
        var attributes = message.Event;
        using var writer = new Utf8JsonWriter(output, s_options);
        writer.WriteStartObject();
        writer.WriteString("specversion"u8, "1.0"u8);
        writer.WriteString("id"u8, attributes.Id);
        writer.WriteString("source"u8, attributes.Source);
        writer.WriteString("type"u8, attributes.Type);
        writer.WriteString("subject"u8, attributes.Subject);
        writer.WriteString("time"u8, attributes.Time);
        writer.WriteString("partitionkey"u8, attributes.PartitionKey);
        if (attributes.DataSchema is { } schema)
            writer.WriteString("dataschema"u8, schema);
        if (attributes.TraceParent is { } trace)
            writer.WriteString("traceparent"u8, trace);
        writer.WriteString("etag"u8, message.Origin.Etag.ToString(CultureInfo.InvariantCulture));
        if (attributes.DatabaseId is { } databaseId)
            writer.WriteString("databaseid"u8, databaseId);
        writer.WriteNumber("attempt"u8, attempt);
        writer.WriteString("target"u8, message.Target);
        if (!message.Data.IsEmpty)
        {
            writer.WriteString("datacontenttype"u8, CloudEvent.JsonContentType);
            if (dataRef is not null)
            {
                writer.WriteString("dataref"u8, dataRef);
            }
            else
            {
                writer.WritePropertyName("data"u8);
                writer.WriteRawValue(message.Data.Span, skipInputValidation: true);
            }
        }
        writer.WriteEndObject();
    }
}

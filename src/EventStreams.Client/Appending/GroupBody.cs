using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>A group as the body of a request carries it. Made once, so that a repeat has the same bytes.</summary>
internal static class GroupBody
{
    private static readonly JsonWriterOptions Writing = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>Makes a writer for any number of groups.</summary>
    public static Utf8JsonWriter NewWriter(IBufferWriter<byte> body) => new(body, Writing);

    /// <summary>Writes the group, all of it when this returns. A writer that wrote a group is reset before the next one.</summary>
    public static void Write(Utf8JsonWriter json, string stream, EventGroup group)
    {
        json.WriteStartObject();
        json.WriteString("stream"u8, stream);
        json.WriteNumber("first"u8, group.First);
        if (group.ExpectedLast is { } expected)
            json.WriteNumber("expectedLast"u8, expected);
        if (group.Writer.Length > 0)
            json.WriteString("writer"u8, group.Writer);
        if (group.TakesOver)
            json.WriteBoolean("takeOver"u8, true);
        json.WriteStartArray("events"u8);
        foreach (var added in group.Events)
            Write(json, added);
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
    }

    private static void Write(Utf8JsonWriter json, NewEvent added)
    {
        json.WriteStartObject();
        json.WriteNumber("ticks"u8, added.Ticks);
        if (added.Serializer != 0)
            json.WriteNumber("serializer"u8, added.Serializer);
        if (added.Manifest.Length > 0)
            json.WriteString("manifest"u8, added.Manifest);
        if (added.AdapterManifest.Length > 0)
            json.WriteString("adapterManifest"u8, added.AdapterManifest);
        if (added.Tags.Count > 0)
        {
            json.WriteStartArray("tags"u8);
            foreach (var tag in added.Tags)
                json.WriteStringValue(tag);
            json.WriteEndArray();
        }
        if (IsOneJsonValue(added.Payload.Span))
        {
            json.WritePropertyName("payload"u8);
            json.WriteRawValue(added.Payload.Span, skipInputValidation: true);
        }
        else
        {
            json.WriteBase64String("payloadBase64"u8, added.Payload.Span);
        }
        json.WriteEndObject();
    }

    /// <summary>
    /// Whether the bytes come back as they are when they are sent as JSON: one object, array or text, nothing before it and nothing after.
    /// </summary>
    internal static bool IsOneJsonValue(ReadOnlySpan<byte> payload)
    {
        if (
            payload.IsEmpty
            || payload[0] is not ((byte)'{' or (byte)'[' or (byte)'"')
            || payload[^1] is (byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t'
        )
            return false;
        if (!Utf8.IsValid(payload))
            return false;
        var reader = new Utf8JsonReader(payload, new JsonReaderOptions { MaxDepth = ClientLimits.MaxInlineJsonDepth });
        try
        {
            while (reader.Read()) { }
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}

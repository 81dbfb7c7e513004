using System.Buffers;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>
/// The messages of an invocation. The host hands bytes over as Base64, texts as JSON in a JSON text, batches as an array of either, in a
/// JSON text too, and whatever it takes for an object as an object. Which of these comes depends on the trigger and its version, so each is
/// understood. Documentation: "Azure Functions custom handlers", section "Request payload".
/// </summary>
/// <remarks>A malformed message becomes a body that is no CloudEvent, hence a dead letter: an invocation that is refused comes again, one
/// with a batch without end, and holds up what is behind it.</remarks>
internal static class MessageBodies
{
    /// <summary>A message's own nesting is the handler's concern; nothing here recurses.</summary>
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = int.MaxValue };

    /// <summary>Reads an invocation's messages. Throws <see cref="InvocationException"/> when the body is no invocation.</summary>
    /// <param name="utf8">The request's body.</param>
    /// <param name="binding">The trigger's name in function.json.</param>
    /// <param name="isBatch">The trigger hands over batches.</param>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Read(ReadOnlyMemory<byte> utf8, string binding, bool isBatch)
    {
        using var json = Parse(utf8);
        if (json.RootElement.ValueKind != JsonValueKind.Object || !json.RootElement.TryGetProperty("Data", out var data))
            throw new InvocationException("The request is no invocation of a function: it is no JSON object with a member 'Data'.");
        if (data.ValueKind != JsonValueKind.Object || !data.TryGetProperty(binding, out var trigger))
            throw new InvocationException($"The invocation's 'Data' has no member '{binding}', which function.json names as the trigger.");
        return isBatch ? Batch(trigger) : [Body(trigger)];
    }

    /// <summary>A message as a trigger hands it over as a text: the message itself, encoded once more, or an event of Kafka.</summary>
    public static ReadOnlyMemory<byte> Of(string text) => BodyOfText(text);

    private static JsonDocument Parse(ReadOnlyMemory<byte> utf8)
    {
        try
        {
            return JsonDocument.Parse(utf8, s_options);
        }
        catch (JsonException e)
        {
            throw new InvocationException($"The request is no invocation of a function: it is no JSON: {e.Message}", e);
        }
    }

    private static List<ReadOnlyMemory<byte>> Batch(JsonElement trigger)
    {
        if (trigger.ValueKind == JsonValueKind.Array)
            return [.. trigger.EnumerateArray().Select(Body)];
        if (trigger.ValueKind == JsonValueKind.String && Unescaped(trigger) is { } text && TryParseArray(text) is { } array)
            using (array)
                return [.. array.RootElement.EnumerateArray().Select(Body)];
        return [Body(trigger)];
    }

    private static ReadOnlyMemory<byte> Body(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.String when TryDecode(value) is { } bytes => bytes,
            JsonValueKind.String when Text(value) is { } text => BodyOfText(text),
            JsonValueKind.Object when KafkaValue(value) is { } inner => Body(inner),
            // What Kafka has for a deletion, a tombstone.
            JsonValueKind.Null => default,
            _ => JsonMarshal.GetRawUtf8Value(value).ToArray(),
        };

    private static ReadOnlyMemory<byte> BodyOfText(string text)
    {
        // None of the three begins a text in Base64.
        switch (text.TrimStart())
        {
            case ['"', ..] when TryParse(text) is { } inner:
                using (inner)
                    return Text(inner.RootElement) is { } once ? BodyOfJson(once) : Encoding.UTF8.GetBytes(text);
            case ['{', ..]:
                return BodyOfJson(text);
        }
        var bytes = new byte[text.Length];
        return Convert.TryFromBase64String(text, bytes, out var length) ? bytes.AsMemory(0, length) : Encoding.UTF8.GetBytes(text);
    }

    /// <summary>A message as text, byte by byte; of an event of Kafka with its properties, the value.</summary>
    private static ReadOnlyMemory<byte> BodyOfJson(string text)
    {
        if (text.Contains("\"Value\"", StringComparison.Ordinal) && text.TrimStart() is ['{', ..] && TryParse(text) is { } json)
            using (json)
                if (KafkaValue(json.RootElement) is { } value)
                    return Body(value);
        return Encoding.UTF8.GetBytes(text);
    }

    /// <summary>What the Kafka trigger hands over for a text: topic, partition, offset, headers and value. A CloudEvent is none.</summary>
    private static JsonElement? KafkaValue(JsonElement value)
    {
        try
        {
            return
                value.TryGetProperty("Value", out var inner)
                && value.TryGetProperty("Topic", out _)
                && value.TryGetProperty("Offset", out _)
                && !value.TryGetProperty("specversion", out _)
                && inner.ValueKind is JsonValueKind.String or JsonValueKind.Object
                ? inner
                : null;
        }
        catch (InvalidOperationException)
        {
            // A member's name has an escape of half a surrogate pair.
            return null;
        }
    }

    /// <summary>Null: the text has an escape of half a surrogate pair, or bytes that are not UTF-8.</summary>
    private static string? Text(JsonElement value)
    {
        try
        {
            return value.GetString();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>The usual form of a batch's message, without a copy as a text. Null: it is not Base64, or has escapes.</summary>
    private static ReadOnlyMemory<byte>? TryDecode(JsonElement value)
    {
        var text = JsonMarshal.GetRawUtf8Value(value)[1..^1];
        var bytes = new byte[Base64.GetMaxDecodedFromUtf8Length(text.Length)];
        if (Base64.DecodeFromUtf8(text, bytes, out var read, out var written) == OperationStatus.Done && read == text.Length)
            return bytes.AsMemory(0, written);
        return null;
    }

    /// <summary>A text's own bytes in UTF-8. Null: it has an escape of half a surrogate pair, or bytes that are not UTF-8.</summary>
    private static ReadOnlyMemory<byte>? Unescaped(JsonElement value)
    {
        var raw = JsonMarshal.GetRawUtf8Value(value);
        var reader = new Utf8JsonReader(raw);
        reader.Read();
        var text = new byte[raw.Length];
        try
        {
            return text.AsMemory(0, reader.CopyString(text));
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Null: the text is no JSON array.</summary>
    private static JsonDocument? TryParseArray(ReadOnlyMemory<byte> text)
    {
        try
        {
            var json = JsonDocument.Parse(text, s_options);
            if (json.RootElement.ValueKind == JsonValueKind.Array)
                return json;
            json.Dispose();
            return null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Null: the text is no JSON.</summary>
    private static JsonDocument? TryParse(string text)
    {
        try
        {
            return JsonDocument.Parse(text, s_options);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}

using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Etl.Messages;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Etl.Transforming;

/// <summary>The attributes that a script gives to a message. Each refusal is thrown into the script.</summary>
internal static class MessageAttributes
{
    /// <summary>Puts the members of a JSON object in place of the event's own attributes.</summary>
    public static CloudEvent Apply(string json, CloudEvent attributes)
    {
        try
        {
            return ApplyAll(json, attributes);
        }
        catch (JsonException)
        {
            throw new ScriptCallbackException("loadTo: the attributes are nested too deeply; they must be texts.");
        }
        catch (InvalidOperationException)
        {
            // What the script's engine writes as an escape, and no .NET text can hold.
            throw new ScriptCallbackException("loadTo: an attribute, or its name, holds half a surrogate pair.");
        }
    }

    private static CloudEvent ApplyAll(string json, CloudEvent attributes)
    {
        using var document = JsonDocument.Parse(json);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new ScriptCallbackException("loadTo: the attributes must be an object.");
        foreach (var member in document.RootElement.EnumerateObject())
        {
            if (member.Value.ValueKind == JsonValueKind.Null)
                continue;
            attributes = Apply(member.Name, Text(member.Name, member.Value), attributes);
        }
        return attributes;
    }

    /// <summary>Refuses what no header can carry: control characters, half surrogate pairs, more than the limit.</summary>
    public static void CheckText(string what, string text)
    {
        foreach (var rune in text.EnumerateRunes())
        {
            if (Rune.IsControl(rune) || rune == Rune.ReplacementChar)
                throw new ScriptCallbackException($"loadTo: {what} holds a control character or half a surrogate pair.");
        }
        int bytes = Encoding.UTF8.GetByteCount(text);
        if (bytes > EtlLimits.MaxNameBytes)
            throw new ScriptCallbackException(
                $"loadTo: {what} has {bytes:N0} bytes, over the limit of {EtlLimits.MaxNameBytes:N0} (fixed)."
            );
    }

    private static CloudEvent Apply(string name, string text, CloudEvent attributes) =>
        name.ToUpperInvariant() switch
        {
            "ID" => attributes with { Id = text },
            "TYPE" => attributes with { Type = text },
            "SOURCE" => attributes with { Source = text },
            "PARTITIONKEY" => attributes with { PartitionKey = text },
            "DATASCHEMA" => attributes with { DataSchema = text },
            "SUBJECT" => attributes with { Subject = text },
            "TIME" => attributes with { Time = Time(text) },
            _ => throw new ScriptCallbackException(
                $"loadTo: no attribute is named '{name}'; there are Id, Type, Source, PartitionKey, DataSchema, Subject and Time."
            ),
        };

    private static string Text(string name, JsonElement value)
    {
        if (value.ValueKind is JsonValueKind.Object or JsonValueKind.Array)
            throw new ScriptCallbackException($"loadTo: the attribute {name} must be a text.");
        string text = value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText();
        if (text.Length == 0)
            throw new ScriptCallbackException($"loadTo: the attribute {name} must not be empty.");
        CheckText($"the attribute {name}", text);
        return text;
    }

    private static string Time(string text) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture)
            : throw new ScriptCallbackException($"loadTo: the attribute Time is '{text}', which is no date.");
}

using System.Globalization;
using System.Text.Json;

namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>A structured CloudEvent as Jackdaw's ETL tasks send them. Immutable.</summary>
public sealed record CloudEvent
{
    /// <summary>The type of a change that leaves a document, or of an event.</summary>
    public const string PutType = "ravendb.etl.put";

    /// <summary>The type of a deletion.</summary>
    public const string DeleteType = "ravendb.etl.delete";

    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = 512 };

    /// <summary>The same at every attempt.</summary>
    public required string Id { get; init; }

    /// <summary>Who sends.</summary>
    public required string Source { get; init; }

    /// <summary><see cref="PutType"/> or <see cref="DeleteType"/>, unless the task's script says otherwise.</summary>
    public required string Type { get; init; }

    /// <summary>The document id or the exact stream id.</summary>
    public required string Subject { get; init; }

    /// <summary>The database that sends.</summary>
    public required string DatabaseId { get; init; }

    /// <summary>The change's etag in that database; of an event its position.</summary>
    public required long Etag { get; init; }

    /// <summary>Where the data is when the message does not carry it; null when it does.</summary>
    public Uri? DataRef { get; init; }

    /// <summary>What the script made; <see cref="JsonValueKind.Undefined"/> when there is none.</summary>
    public JsonElement Data { get; init; }

    /// <summary>Reads one event. Throws <see cref="MessageFaultException"/> when the bytes are none.</summary>
    public static CloudEvent Parse(ReadOnlyMemory<byte> utf8)
    {
        using var json = ParseJson(utf8, "The message");
        var members = json.RootElement;
        if (members.ValueKind != JsonValueKind.Object)
            throw new MessageFaultException($"The message is no CloudEvent: it is a JSON {members.ValueKind}.");
        if (Required(members, "specversion") is var version and not "1.0")
            throw new MessageFaultException($"The message is a CloudEvent of version '{version}'; this handler reads 1.0.");
        var etag = Required(members, "etag");
        if (!long.TryParse(etag, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
            throw new MessageFaultException($"The message's 'etag' is '{etag}', which is no etag.");
        var dataRef = members.TryGetProperty("dataref", out _) ? Required(members, "dataref") : null;
        Uri? address = null;
        if (dataRef is not null && !Uri.TryCreate(dataRef, UriKind.Absolute, out address))
            throw new MessageFaultException($"The message's 'dataref' is '{dataRef}', which is no address.");
        return new CloudEvent
        {
            Id = Required(members, "id"),
            Source = Required(members, "source"),
            Type = Required(members, "type"),
            Subject = Required(members, "subject"),
            DatabaseId = Required(members, "databaseid"),
            Etag = number,
            DataRef = address,
            Data = members.TryGetProperty("data", out var data) ? data.Clone() : default,
        };
    }

    /// <summary>Returns the event with its data, fetched. Throws <see cref="MessageFaultException"/> when that is no JSON.</summary>
    public CloudEvent With(ReadOnlyMemory<byte> data)
    {
        using var json = ParseJson(data, $"The data at {DataRef}");
        return this with { Data = json.RootElement.Clone(), DataRef = null };
    }

    private static JsonDocument ParseJson(ReadOnlyMemory<byte> utf8, string what)
    {
        try
        {
            return JsonDocument.Parse(utf8, s_options);
        }
        catch (JsonException e)
        {
            throw new MessageFaultException($"{what} is no JSON: {e.Message}", e);
        }
    }

    private static string Required(JsonElement members, string name)
    {
        if (!members.TryGetProperty(name, out var value))
            throw new MessageFaultException($"The message is no CloudEvent of an ETL task: it has no '{name}'.");
        try
        {
            if (value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 } text)
                return text;
        }
        catch (InvalidOperationException e)
        {
            throw new MessageFaultException($"The message's '{name}' has an escape of half a surrogate pair.", e);
        }
        throw new MessageFaultException($"The message is no CloudEvent of an ETL task: its '{name}' is no text.");
    }
}

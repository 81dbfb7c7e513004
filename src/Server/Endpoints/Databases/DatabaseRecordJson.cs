using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Etl;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>The database record as it goes over the wire: the client's own object, with what the server owns put over it.</summary>
internal static class DatabaseRecordJson
{
    private static readonly string[] ServerOwned = ["DatabaseName", "Disabled", "Topology", "Etag", "DatabaseState"];

    /// <summary>The record's DatabaseName; null when it has none.</summary>
    /// <exception cref="BadRequestException">The record is not an object, or its name or settings are not of their kind.</exception>
    public static string? ReadName(ReadOnlyMemory<byte> record)
    {
        using var document = JsonBody.Parse(record);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("A database record must be a JSON object.");
        string? name = null;
        foreach (var property in document.RootElement.EnumerateObject())
        {
            if (property.Name.Equals("DatabaseName", StringComparison.OrdinalIgnoreCase) && property.Value.ValueKind != JsonValueKind.Null)
                name =
                    property.Value.ValueKind == JsonValueKind.String
                        ? property.Value.GetString()
                        : throw new BadRequestException("The DatabaseName of a record must be a string.");
            else if (property.Name.Equals("Settings", StringComparison.OrdinalIgnoreCase) && property.Value.ValueKind != JsonValueKind.Null)
                RequireSettings(property.Value);
        }
        return name;
    }

    private static void RequireSettings(JsonElement settings)
    {
        if (
            settings.ValueKind != JsonValueKind.Object
            || settings.EnumerateObject().Any(setting => setting.Value.ValueKind is JsonValueKind.Object or JsonValueKind.Array)
        )
            throw new BadRequestException("The Settings of a database must be an object of texts.");
    }

    /// <param name="json">Where to.</param>
    /// <param name="record">The record.</param>
    /// <param name="nodeTag">Of this server.</param>
    /// <param name="tasks">The database's; null when it is not open.</param>
    public static void Write(Utf8JsonWriter json, DatabaseRecord record, string nodeTag, EtlTasks? tasks)
    {
        json.WriteStartObject();
        json.WriteString("DatabaseName", record.Name);
        json.WriteBoolean("Disabled", record.Disabled);
        json.WriteString("DatabaseState", "Normal");
        json.WritePropertyName("Topology");
        WriteTopology(json, record, nodeTag);
        using var given = JsonDocument.Parse(record.Json);
        foreach (var property in given.RootElement.EnumerateObject())
            if (!ServerOwned.Contains(property.Name, StringComparer.OrdinalIgnoreCase) && !RecordTasks.IsMember(property.Name))
                property.WriteTo(json);
        RecordTasks.Write(json, tasks);
        json.WriteNumber("Etag", record.Etag);
        json.WriteEndObject();
    }

    public static void WriteTopology(Utf8JsonWriter json, DatabaseRecord record, string nodeTag)
    {
        json.WriteStartObject();
        json.WriteStartArray("Members");
        json.WriteStringValue(nodeTag);
        json.WriteEndArray();
        foreach (var none in (ReadOnlySpan<string>)["Promotables", "Rehabs"])
        {
            json.WriteStartArray(none);
            json.WriteEndArray();
        }
        foreach (var none in (ReadOnlySpan<string>)["PredefinedMentors", "DemotionReasons", "PromotablesStatus"])
        {
            json.WriteStartObject(none);
            json.WriteEndObject();
        }
        json.WriteNumber("ReplicationFactor", 1);
        json.WriteBoolean("DynamicNodesDistribution", false);
        json.WriteStartObject("Stamp");
        json.WriteNumber("Index", record.Etag);
        json.WriteNumber("Term", 1);
        json.WriteNumber("LeadersTicks", 0);
        json.WriteEndObject();
        json.WriteString("DatabaseTopologyIdBase64", Convert.ToBase64String(record.Id.ToByteArray()).TrimEnd('='));
        json.WriteStartArray("PriorityOrder");
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>The record with its Settings replaced by the given object of texts.</summary>
    public static ReadOnlyMemory<byte> WithSettings(DatabaseRecord record, ReadOnlyMemory<byte> settings)
    {
        using var replaced = JsonBody.Parse(settings);
        RequireSettings(replaced.RootElement);
        using var given = JsonDocument.Parse(record.Json);
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            foreach (var property in given.RootElement.EnumerateObject())
                if (!property.Name.Equals("Settings", StringComparison.OrdinalIgnoreCase))
                    property.WriteTo(json);
            json.WritePropertyName("Settings");
            replaced.RootElement.WriteTo(json);
            json.WriteEndObject();
        }
        return bytes.ToArray();
    }
}

using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Etl;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Indexes;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>The database record as it goes over the wire: its name, its settings, whether it is disabled, and its tasks are kept;
/// the other members are the server's own or have their defaults (<see cref="RecordMembers"/>).</summary>
internal static class DatabaseRecordJson
{
    private const string Settings = "Settings";

    /// <summary>Reads a client's record.</summary>
    /// <param name="record">The record, JSON.</param>
    /// <param name="nodeTag">This server's.</param>
    /// <exception cref="BadRequestException">The record is not an object, or a member is not of its kind.</exception>
    /// <exception cref="FeatureNotSupportedException">The record asks for what this version does not do.</exception>
    public static GivenRecord Read(ReadOnlyMemory<byte> record, string nodeTag)
    {
        using var document = JsonBody.Parse(record);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("A database record must be a JSON object.");
        string? name = null;
        bool? disabled = null;
        var settings = default(JsonElement);
        foreach (var property in document.RootElement.EnumerateObject().Where(p => p.Value.ValueKind != JsonValueKind.Null))
        {
            if (property.Name.Equals("DatabaseName", StringComparison.OrdinalIgnoreCase))
                name =
                    property.Value.ValueKind == JsonValueKind.String
                        ? property.Value.GetString()
                        : throw new BadRequestException("The DatabaseName of a record must be a string.");
            else if (property.Name.Equals("Disabled", StringComparison.OrdinalIgnoreCase))
                disabled = property.Value.ValueKind is JsonValueKind.True or JsonValueKind.False
                    ? property.Value.GetBoolean()
                    : throw new BadRequestException("Disabled of a database record must be true or false.");
            else if (property.Name.Equals(Settings, StringComparison.OrdinalIgnoreCase))
            {
                RequireSettings(property.Value);
                settings = property.Value;
            }
        }
        RecordMembers.RequireSupported(document.RootElement, nodeTag);
        return new GivenRecord(name, disabled, Kept(settings));
    }

    /// <summary>What is stored of a record beside its name and state.</summary>
    private static byte[] Kept(JsonElement settings)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            if (settings.ValueKind == JsonValueKind.Object)
            {
                json.WritePropertyName(Settings);
                settings.WriteTo(json);
            }
            json.WriteEndObject();
        }
        return bytes.ToArray();
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
    /// <param name="database">Null when it is not open.</param>
    /// <param name="tasks">The database's; null when it is not open.</param>
    /// <param name="indexes">The database's; null when it is not open.</param>
    public static void Write(
        Utf8JsonWriter json,
        DatabaseRecord record,
        string nodeTag,
        Database? database,
        EtlTasks? tasks,
        DatabaseIndexes? indexes
    )
    {
        json.WriteStartObject();
        json.WriteString("DatabaseName", record.Name);
        json.WriteBoolean("Disabled", record.Disabled);
        json.WritePropertyName("Topology");
        WriteTopology(json, record, nodeTag);
        WriteSettings(json, record);
        RecordMembers.WriteDefaults(json);
        RecordExpiration.Write(json, database);
        RecordTasks.Write(json, tasks);
        IndexDefinitionJson.WriteAutomatic(json, indexes);
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

    /// <summary>What to store of the record when its settings are replaced by the given object of texts.</summary>
    public static ReadOnlyMemory<byte> WithSettings(ReadOnlyMemory<byte> settings)
    {
        using var replaced = JsonBody.Parse(settings);
        RequireSettings(replaced.RootElement);
        return Kept(replaced.RootElement);
    }

    private static void WriteSettings(Utf8JsonWriter json, DatabaseRecord record)
    {
        using var kept = JsonDocument.Parse(record.Json);
        json.WritePropertyName(Settings);
        // A record of an earlier version may hold a null, and other members.
        var settings = kept
            .RootElement.EnumerateObject()
            .LastOrDefault(member =>
                member.Name.Equals(Settings, StringComparison.OrdinalIgnoreCase) && member.Value.ValueKind == JsonValueKind.Object
            );
        if (settings.Value.ValueKind == JsonValueKind.Object)
        {
            settings.Value.WriteTo(json);
            return;
        }
        json.WriteStartObject();
        json.WriteEndObject();
    }
}

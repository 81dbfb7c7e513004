using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>
/// The members of a database record that this version does not act on. Clients send them with their defaults, and some fail when a map
/// or list is missing or null. So the defaults are accepted and returned, and anything else is refused: a client that reads back what
/// it asked for believes that it is done.
/// </summary>
internal static class RecordMembers
{
    private static readonly string[] s_maps =
    [
        "DeletionInProgress",
        "RollingIndexes",
        "Sorters",
        "Analyzers",
        "Indexes",
        "IndexesHistory",
        "RavenConnectionStrings",
        "SqlConnectionStrings",
        "OlapConnectionStrings",
        "ElasticSearchConnectionStrings",
        "SnowflakeConnectionStrings",
        "AiConnectionStrings",
    ];

    private static readonly string[] s_lists =
    [
        "PeriodicBackups",
        "ExternalReplications",
        "SinkPullReplications",
        "HubPullReplications",
        "RavenEtls",
        "SqlEtls",
        "OlapEtls",
        "ElasticSearchEtls",
        "SnowflakeEtls",
        "QueueSinks",
        "UnusedDatabaseIds",
        "AiAgents",
        "GenAis",
        "EmbeddingsGenerations",
    ];

    private static readonly string[] s_nulls =
    [
        "Sharding",
        "ConflictSolverConfig",
        "DocumentsCompression",
        "Revisions",
        "RevisionsForConflicts",
        "TimeSeries",
        "DataArchival",
        "Integrations",
        "Client",
        "Studio",
    ];

    /// <summary>Writes the members with their defaults, into the record's object.</summary>
    public static void WriteDefaults(Utf8JsonWriter json)
    {
        json.WriteBoolean("Encrypted", false);
        json.WriteNumber("EtagForBackup", 0);
        json.WriteString("DatabaseState", "Normal");
        json.WriteString("LockMode", "Unlock");
        foreach (var map in s_maps)
        {
            json.WriteStartObject(map);
            json.WriteEndObject();
        }
        foreach (var list in s_lists)
        {
            json.WriteStartArray(list);
            json.WriteEndArray();
        }
        foreach (var none in s_nulls)
            json.WriteNull(none);
        json.WriteNumber("TruncatedClusterTransactionCommandsCount", 0);
    }

    /// <summary>Refuses a record that asks for what this version does not do.</summary>
    /// <param name="record">An object.</param>
    /// <param name="nodeTag">This server's.</param>
    /// <exception cref="FeatureNotSupportedException">A member is neither null, empty nor its default. Names the member.</exception>
    public static void RequireSupported(JsonElement record, string nodeTag)
    {
        foreach (var member in record.EnumerateObject())
            if (!IsSupported(member, nodeTag))
                throw new FeatureNotSupportedException(
                    $"the database record's '{member.Name}' (only null, an empty value or the default is accepted)"
                );
    }

    private static bool IsSupported(JsonProperty member, string nodeTag) =>
        RecordTasks.IsMember(member.Name)
        || RecordExpiration.IsMember(member.Name)
        || member.Name.ToUpperInvariant() switch
        {
            // Automatic indexes are the server's own: what a client read may come back, and changes nothing.
            "DATABASENAME" or "DISABLED" or "SETTINGS" or "ETAG" or "AUTOINDEXES" => true,
            // Go's client calls it by the second name.
            "TOPOLOGY" or "DATABASETOPOLOGY" => IsTopologyOf(member.Value, nodeTag),
            "LOCKMODE" => IsDefault(member.Value, "Unlock"),
            "DATABASESTATE" => IsDefault(member.Value, "Normal"),
            // There are no conflicts on one node, so none waits for its latest version.
            "CONFLICTSOLVERCONFIG" => IsDefault(member.Value) || HasDefaultsBut(member.Value, "ResolveToLatest"),
            // An object alone changes nothing here; elsewhere one that is not disabled switches something on.
            "CLIENT" or "STUDIO" or "DOCUMENTSCOMPRESSION" => IsDefault(member.Value) || HasDefaultsBut(member.Value, ""),
            _ => IsDefault(member.Value) || (HasDefaultsBut(member.Value, "") && !member.Value.TryGetProperty("Disabled", out _)),
        };

    /// <summary>The server owns the topology: what a client read may come back, other nodes may not.</summary>
    private static bool IsTopologyOf(JsonElement topology, string nodeTag) =>
        topology.ValueKind != JsonValueKind.Object
            ? IsDefault(topology)
            : topology
                .EnumerateObject()
                .All(part =>
                    part.Name switch
                    {
                        "Members" or "Promotables" or "Rehabs" or "PriorityOrder" => IsDefault(part.Value)
                            || (
                                part.Value.ValueKind == JsonValueKind.Array
                                && part.Value.EnumerateArray()
                                    .All(node => node.ValueKind == JsonValueKind.String && node.ValueEquals(nodeTag))
                            ),
                        "ReplicationFactor" => IsDefault(part.Value)
                            || (part.Value.ValueKind == JsonValueKind.Number && part.Value.TryGetInt32(out var factor) && factor <= 1),
                        _ => true,
                    }
                );

    private static bool IsDefault(JsonElement value, string text = "None") =>
        value.ValueKind switch
        {
            JsonValueKind.Null or JsonValueKind.False => true,
            JsonValueKind.Number => value.TryGetDouble(out var number) && number == 0,
            JsonValueKind.String => value.ValueEquals("") || value.ValueEquals(text),
            JsonValueKind.Array => value.GetArrayLength() == 0,
            JsonValueKind.Object => !value.EnumerateObject().Any(),
            _ => false,
        };

    /// <summary>True for an object of defaults, whatever the named member is.</summary>
    private static bool HasDefaultsBut(JsonElement value, string name) =>
        value.ValueKind == JsonValueKind.Object && value.EnumerateObject().All(part => part.NameEquals(name) || IsDefault(part.Value));
}

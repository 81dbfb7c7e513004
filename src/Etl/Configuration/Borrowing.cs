using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Jackdaw.Etl.Configuration;

/// <summary>
/// What a connection string takes from the server: files and environment variables of its machine, its certificate, its identity in Azure.
/// Only an operator lends these: whoever administers one database could otherwise read the server's key, or act in its name.
/// </summary>
internal static partial class Borrowing
{
    /// <summary>Members that name files of the server's machine, or its identity, by the object that they stand in.</summary>
    private static readonly (string Object, string Member)[] s_members =
    [
        ("KafkaConnectionSettings", "ManagedIdentity"),
        ("KafkaConnectionSettings", "UseRavenCertificate"),
        ("RabbitMqConnectionSettings", "CertificateAuthorityFile"),
        ("RabbitMqConnectionSettings", "ClientCertificateFile"),
        ("RabbitMqConnectionSettings", "ClientCertificateKeyFile"),
        ("AzureQueueStorageConnectionSettings", "Passwordless"),
    ];

    /// <summary>Parts of the names of the native Kafka client's options that name files of the machine, its Kerberos credentials, or a
    /// place that hands out tokens to it.</summary>
    private static readonly string[] s_kafkaOptions =
    [
        "location",
        "keytab",
        "kerberos",
        "file",
        "https.ca",
        "metadata.authentication",
        "token.endpoint",
    ];

    /// <summary>Names the first thing that a connection string borrows; null when there is none.</summary>
    /// <param name="connection">With secrets in the place of masks.</param>
    public static string? Of(JsonObject connection)
    {
        if (ReferenceIn(connection) is { } reference)
            return $"a reference '{reference}…}}'";
        foreach (var (name, member) in s_members)
            if (connection[name] is JsonObject settings && IsSet(settings[member]))
                return $"the member '{member}'";
        if (connection["KafkaConnectionSettings"]?["ConnectionOptions"] is JsonObject options)
            foreach (var (name, value) in options)
                if (
                    Array.Exists(s_kafkaOptions, part => name.Contains(part, StringComparison.OrdinalIgnoreCase)) || IsKerberos(name, value)
                )
                    return $"the option '{name.Trim()}'";
        return null;
    }

    private static bool IsSet(JsonNode? value) =>
        value is not null && !(value is JsonValue single && (single.TryGetValue(out bool flag) ? !flag : single.ToString().Length == 0));

    private static bool IsKerberos(string name, JsonNode? value) =>
        name.Contains("mechanism", StringComparison.OrdinalIgnoreCase)
        && value?.ToString().Contains("GSSAPI", StringComparison.OrdinalIgnoreCase) == true;

    private static string? ReferenceIn(JsonNode? node) =>
        node switch
        {
            JsonObject inner => inner.Select(member => ReferenceIn(member.Value)).FirstOrDefault(found => found is not null),
            JsonArray list => list.Select(ReferenceIn).FirstOrDefault(found => found is not null),
            JsonValue value when value.TryGetValue(out string? text) => Reference().Match(text) is { Success: true } match
                ? match.Value
                : null,
            _ => null,
        };

    // As wide as anything that could ever be taken for a reference.
    [GeneratedRegex(@"\$\{\s*(?:file|env)\s*:", RegexOptions.IgnoreCase)]
    private static partial Regex Reference();
}

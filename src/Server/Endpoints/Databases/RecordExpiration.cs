using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Expiring;
using Jackdaw.Server.Endpoints.Expiration;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>
/// How documents expire and are refreshed, as a database record says it. It is kept in the database, not in the record: on the way
/// in it is taken out of the record, on the way out it is put in.
/// </summary>
/// <param name="Expires">Null: the record does not say, and what the database has stays.</param>
/// <param name="Refresh">Likewise.</param>
internal sealed record RecordExpiration(DueDocumentsSettings? Expires, DueDocumentsSettings? Refresh)
{
    private static readonly DocumentDateKind[] s_kinds = [DocumentDateKind.Expires, DocumentDateKind.Refresh];

    public bool IsEmpty => Expires is null && Refresh is null;

    public static bool IsMember(string name) => s_kinds.Any(kind => IsMember(name, kind));

    /// <exception cref="BadRequestException">A member is not of the kind that it must be.</exception>
    public static RecordExpiration Take(ReadOnlyMemory<byte> record)
    {
        using var parsed = JsonBody.Parse(record);
        return new RecordExpiration(Take(parsed.RootElement, DocumentDateKind.Expires), Take(parsed.RootElement, DocumentDateKind.Refresh));
    }

    /// <summary>Configures what the record says. Errors as <see cref="Database.ConfigureDueDocumentsAsync"/>'s.</summary>
    public async Task PutAsync(Database database)
    {
        foreach (var kind in s_kinds)
            if (Of(kind) is { } settings && settings != database.DueDocumentsSettings(kind))
                await database.ConfigureDueDocumentsAsync(kind, settings);
    }

    /// <param name="json">Inside the record's object.</param>
    /// <param name="database">Null for a database that is not open: nothing is known of it.</param>
    public static void Write(Utf8JsonWriter json, Database? database)
    {
        foreach (var kind in s_kinds)
        {
            json.WritePropertyName(ExpirationConfiguration.Member(kind));
            ExpirationConfiguration.Write(json, database?.DueDocumentsSettings(kind), kind);
        }
    }

    private DueDocumentsSettings? Of(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? Expires : Refresh;

    /// <summary>An empty object says nothing, as everywhere in a record.</summary>
    private static DueDocumentsSettings? Take(JsonElement record, DocumentDateKind kind)
    {
        var member = record.EnumerateObject().LastOrDefault(member => IsMember(member.Name, kind));
        return member.Value.ValueKind switch
        {
            JsonValueKind.Undefined or JsonValueKind.Null => null,
            JsonValueKind.Object when !member.Value.EnumerateObject().Any() => null,
            _ => ExpirationConfiguration.Read(member.Value, kind),
        };
    }

    private static bool IsMember(string name, DocumentDateKind kind) =>
        name.Equals(ExpirationConfiguration.Member(kind), StringComparison.OrdinalIgnoreCase);
}

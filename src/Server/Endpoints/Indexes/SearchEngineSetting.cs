using System.Text.Json;
using Jackdaw.Documents;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>
/// The search engine that a database's settings name for automatic indexes. There is one engine here; drivers choose between two, and
/// read their choice back.
/// </summary>
internal static class SearchEngineSetting
{
    private const string OfAutomatic = "Indexing.Auto.SearchEngineType";

    /// <summary>The one whose behaviour this server follows where the two differ.</summary>
    private const string Default = "Lucene";

    /// <summary>As the record has it; the default where it names none.</summary>
    public static string Of(DatabaseRecord record)
    {
        if (record.Json.IsEmpty)
            return Default;
        using var json = JsonDocument.Parse(record.Json);
        if (json.RootElement.ValueKind != JsonValueKind.Object || !json.RootElement.TryGetProperty("Settings", out var settings))
            return Default;
        if (settings.ValueKind != JsonValueKind.Object)
            return Default;
        foreach (var setting in settings.EnumerateObject())
            if (setting.Name.Equals(OfAutomatic, StringComparison.OrdinalIgnoreCase) && setting.Value.ValueKind == JsonValueKind.String)
                return setting.Value.GetString()!;
        return Default;
    }
}

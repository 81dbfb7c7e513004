using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

internal sealed record WireAnswer(HttpStatusCode Status, string? Etag, IReadOnlyDictionary<string, string> Headers, string Text)
{
    public JsonElement Json => JsonDocument.Parse(Text).RootElement;

    /// <summary>The ids of the results, in order; null where there is none.</summary>
    public IEnumerable<string?> Ids =>
        Json.GetProperty("Results")
            .EnumerateArray()
            .Select(d => d.ValueKind == JsonValueKind.Null ? null : d.GetProperty("@metadata").GetProperty("@id").GetString());

    public string[] Includes => Json.GetProperty("Includes").EnumerateObject().Select(i => i.Name).Order(StringComparer.Ordinal).ToArray();
}

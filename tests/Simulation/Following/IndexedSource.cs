using System.Text.Json;
using Jackdaw.Simulation.Merging;

namespace Jackdaw.Simulation.Following;

/// <summary>What an index is to hold of a document or an event.</summary>
/// <param name="Source">Its id in lower case.</param>
/// <param name="Etag">Of the version.</param>
/// <param name="Number">The number that is indexed; null: missing.</param>
/// <param name="Text">The text that is indexed; null: missing.</param>
internal sealed record IndexedSource(string Source, long Etag, long? Number, string? Text)
{
    public static IndexedSource Of(string lowerId, DocumentState document) => Of(lowerId, document.Etag, document.Body);

    /// <summary>What is no JSON has no members.</summary>
    public static IndexedSource Of(string id, EventState stored) => Of(id, stored.Position, stored.IsJson ? stored.Payload : "{}");

    private static IndexedSource Of(string source, long etag, string json)
    {
        using var document = JsonDocument.Parse(json);
        return new IndexedSource(
            source,
            etag,
            document.RootElement.TryGetProperty("n", out var number) ? number.GetInt64() : null,
            document.RootElement.TryGetProperty("t", out var text) ? text.GetString() : null
        );
    }
}

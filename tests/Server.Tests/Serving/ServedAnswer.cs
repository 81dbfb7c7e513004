using System.Text.Json;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>What came back.</summary>
internal sealed record ServedAnswer(int Status, IReadOnlyDictionary<string, string> Headers, string Text, bool WasAborted)
{
    public JsonElement Json => JsonDocument.Parse(Text).RootElement;

    public string? ETag => Headers.GetValueOrDefault("ETag");

    public IEnumerable<string> Ids =>
        Json.GetProperty("Results").EnumerateArray().Select(d => d.GetProperty("@metadata").GetProperty("@id").GetString()!);
}

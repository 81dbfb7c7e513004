using System.Collections.Specialized;
using System.Text.Json;

namespace Jackdaw.Etl.Tests;

/// <summary>What came to the endpoint.</summary>
internal sealed record WebhookRequest(string Path, string ContentType, NameValueCollection Headers, byte[] Body)
{
    public JsonElement Event { get; } = Body.Length == 0 ? default : JsonDocument.Parse(Body).RootElement;

    public string Id => Event.GetProperty("id").GetString()!;

    public string Key => Event.GetProperty("partitionkey").GetString()!;

    public string Header(string name) => Headers[name] ?? "";
}

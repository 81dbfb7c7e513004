using System.Text.Json;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>An invocation as the handler saw it.</summary>
internal sealed record Call(string Function, JsonElement Body)
{
    public JsonElement Data => Body.GetProperty("Data");

    public JsonElement Metadata => Body.GetProperty("Metadata");

    /// <summary>Of a text that arrives as JSON in a JSON text.</summary>
    public static string Decoded(JsonElement value) => JsonSerializer.Deserialize<string>(value.GetString()!)!;
}

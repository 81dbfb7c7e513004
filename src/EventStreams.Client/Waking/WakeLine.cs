using System.Buffers;
using System.Text.Json;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>A line of the connection that wakes.</summary>
/// <param name="DatabaseId">Of the first line; null in others.</param>
/// <param name="Durable">The position up to which it tells of everything; null: it has none.</param>
/// <param name="IsHeartbeat">It tells of nothing.</param>
/// <param name="IsAny">It may concern anyone.</param>
/// <param name="Streams">The named streams that it concerns.</param>
/// <param name="Tags">The named tags that it concerns.</param>
/// <param name="Error">The reason why the server ends the answer; null: it goes on.</param>
internal sealed record WakeLine(
    string? DatabaseId,
    long? Durable,
    bool IsHeartbeat,
    bool IsAny,
    string[] Streams,
    string[] Tags,
    string? Error
)
{
    /// <exception cref="JsonException">It is none.</exception>
    public static WakeLine Parse(in ReadOnlySequence<byte> line)
    {
        using var json = JsonDocument.Parse(line);
        var root = json.RootElement;
        return new WakeLine(
            root.TryGetProperty("databaseId", out var id) ? id.GetString() : null,
            root.TryGetProperty("durable", out var durable) ? durable.GetInt64() : null,
            root.TryGetProperty("heartbeat", out _),
            root.TryGetProperty("any", out _),
            Texts(root, "streams"),
            Texts(root, "tags"),
            root.TryGetProperty("error", out var error) ? error.ToString() : null
        );
    }

    private static string[] Texts(JsonElement root, string member) =>
        root.TryGetProperty(member, out var texts) ? [.. texts.EnumerateArray().Select(text => text.GetString() ?? "")] : [];
}

using System.Text;
using System.Text.Json;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>A dead letter of the functions as it lies in its queue; functions/README.md describes the form.</summary>
/// <param name="Function">Whose message it is.</param>
/// <param name="Consumer">Who could not handle it.</param>
/// <param name="Queue">Where it is to be sent again.</param>
/// <param name="Reason">Why it could not be handled.</param>
/// <param name="Time">When.</param>
/// <param name="Body">The message, byte by byte; null when a blob has it.</param>
/// <param name="Container">Of the blob.</param>
/// <param name="Blob">The blob's name.</param>
internal sealed record DeadLetterMessage(
    string Function,
    string Consumer,
    string Queue,
    string Reason,
    string Time,
    byte[]? Body,
    string? Container,
    string? Blob
)
{
    private const string Type = "jackdaw.dead-letter";
    private const int Version = 1;

    /// <summary>Reads a queue message's text, in Base64 as the Functions host writes it or plain. Null: it is no dead letter of this
    /// form.</summary>
    public static DeadLetterMessage? Read(string messageText)
    {
        try
        {
            using var json = JsonDocument.Parse(Bytes(messageText));
            var members = json.RootElement;
            if (
                members.ValueKind != JsonValueKind.Object
                || Text(members, "type") != Type
                || !members.TryGetProperty("version", out var version)
                || version.ValueKind != JsonValueKind.Number
                || version.GetInt32() != Version
                || Text(members, "queue") is not { Length: > 0 } queue
            )
                return null;
            var body = members.TryGetProperty("body", out var its) ? its.GetBytesFromBase64() : null;
            var (container, blob) = (Text(members, "container"), Text(members, "blob"));
            return body is null && (container is null || blob is null)
                ? null
                : new DeadLetterMessage(
                    Text(members, "function") ?? "",
                    Text(members, "consumer") ?? "",
                    queue,
                    Text(members, "reason") ?? "",
                    Text(members, "time") ?? "",
                    body,
                    container,
                    blob
                );
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>The bytes of a queue message: of Base64 what it stands for, else the text's own.</summary>
    public static byte[] Bytes(string messageText)
    {
        var bytes = new byte[messageText.Length];
        return Convert.TryFromBase64String(messageText, bytes, out var length) ? bytes[..length] : Encoding.UTF8.GetBytes(messageText);
    }

    private static string? Text(JsonElement members, string name) =>
        members.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}

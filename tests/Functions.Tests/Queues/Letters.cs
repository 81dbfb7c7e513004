using System.Text;
using System.Text.Json;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary>Messages as the function app and its host leave them.</summary>
internal static class Letters
{
    /// <summary>A text as a message, in Base64.</summary>
    public static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));

    public static string Text(string base64) => Encoding.UTF8.GetString(Convert.FromBase64String(base64));

    /// <summary>A dead letter.</summary>
    public static string Dead(string body, string queue, string reason = "It was wrong.") =>
        Dead(queue, reason, new { body = Base64(body) });

    /// <summary>A dead letter whose message is a blob.</summary>
    public static string DeadInBlob(string container, string blob, string queue) =>
        Dead(
            queue,
            "It was wrong.",
            new
            {
                container,
                blob,
                bytes = 1,
            }
        );

    private static string Dead(string queue, string reason, object where)
    {
        var members = new Dictionary<string, object>
        {
            ["type"] = "jackdaw.dead-letter",
            ["version"] = 1,
            ["function"] = "OrdersFromQueue",
            ["consumer"] = "order-summaries/1",
            ["queue"] = queue,
            ["reason"] = reason,
            ["time"] = "2026-01-01T00:00:00.000Z",
        };
        foreach (var member in where.GetType().GetProperties())
            members[member.Name] = member.GetValue(where)!;
        return Base64(JsonSerializer.Serialize(members));
    }
}
